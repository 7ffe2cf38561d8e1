//! Go's coverage profile (`go test -coverprofile`), as text.
//!
//! A profile lists blocks of statements: they are read as regions, and as the lines that they
//! touch. It has neither branches nor functions.

mod read;

use crate::{CoverageFile, Fault, Reader, SiteRecorder};

/// Go's coverage profile.
pub(crate) struct Go;

impl Reader for Go {
    fn name(&self) -> &'static str {
        "Go coverage profile"
    }

    fn detect(&self, head: &[u8]) -> bool {
        let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
        line.strip_prefix(b"mode: ").is_some_and(read::is_mode)
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        read::profile(input, recorder)
    }
}
