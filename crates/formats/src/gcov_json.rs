//! gcov's own JSON (`gcov --json-format`), versions 1 (gcc 9 to 13) and 2 (gcc 14 and later).

mod read;

use crate::{CoverageFile, Fault, Reader, SiteRecorder, holds};

pub(crate) use read::file;

/// gcov's own JSON.
pub(crate) struct GcovJson;

impl Reader for GcovJson {
    fn name(&self) -> &'static str {
        "gcov JSON"
    }

    fn detect(&self, head: &[u8]) -> bool {
        head.starts_with(b"{")
            && (holds(head, "\"gcc_version\"")
                || (holds(head, "\"unexecuted_block\"") && holds(head, "\"line_number\"")))
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        read::documents(input, recorder)
    }
}
