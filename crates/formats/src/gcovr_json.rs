//! gcovr's JSON report, versions 0.1 (gcovr 4.2) to 0.15 (gcovr 8.7).

mod read;

use crate::{Fault, Input, Reader, Recorder, holds};

/// gcovr's JSON report.
pub(crate) struct GcovrJson;

impl Reader for GcovrJson {
    fn name(&self) -> &'static str {
        "gcovr JSON"
    }

    fn detect(&self, head: &[u8]) -> bool {
        // Before 8.0 keys are sorted, so the version comes last and need not be within sight.
        head.starts_with(b"{")
            && (holds(head, "\"gcovr/")
                || (holds(head, "\"files\"")
                    && holds(head, "\"line_number\"")
                    && !holds(head, "\"unexecuted_block\"")))
    }

    fn read(&self, input: &mut Input, recorder: &mut Recorder<'_>) -> Result<(), Fault> {
        read::report(input, recorder)
    }
}
