//! LLVM's JSON (`llvm-cov export`), versions 2.x (up to LLVM 19) and 3.x.

mod read;
mod segments;

use crate::{CoverageFile, Fault, Reader, SiteRecorder, holds};

/// LLVM's JSON.
pub(crate) struct LlvmJson;

impl Reader for LlvmJson {
    fn name(&self) -> &'static str {
        "LLVM JSON"
    }

    fn detect(&self, head: &[u8]) -> bool {
        // The type is at the very end, and the branches of the first file, which are at the start,
        // may be longer than the head. So the outermost brackets have to suffice.
        const START: &[u8] = b"{\"data\":[{\"";
        let letters = head.iter().filter(|byte| !byte.is_ascii_whitespace());
        letters.take(START.len()).eq(START) || holds(head, "\"llvm.coverage.json.export\"")
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        read::report(input, recorder)
    }
}
