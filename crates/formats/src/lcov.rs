//! lcov's tracefile (`.info`), versions 1.x and 2.x.

mod read;
mod write;

use std::io::{self, Write};

use crate::{CoverageFile, Export, Fault, Reader, SiteRecorder, Writer};

/// lcov's tracefile.
pub(crate) struct Lcov;

impl Reader for Lcov {
    fn name(&self) -> &'static str {
        "lcov"
    }

    fn detect(&self, head: &[u8]) -> bool {
        let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_start);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
        first.is_some_and(|line| line.starts_with(b"TN:") || line.starts_with(b"SF:"))
    }

    fn has_contexts(&self) -> bool {
        true
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        read::sections(input, recorder)
    }
}

impl Writer for Lcov {
    fn name(&self) -> &'static str {
        "lcov"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["info", "lcov"]
    }

    fn write(&self, export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
        write::sections(export, out)
    }
}
