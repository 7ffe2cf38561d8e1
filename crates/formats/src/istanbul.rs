//! Istanbul's coverage map (`coverage-final.json`), written by nyc, jest, vitest, c8 and other
//! tools for JavaScript.

mod read;

use crate::{CoverageFile, Fault, Reader, SiteRecorder, holds};

/// Istanbul's coverage map.
pub(crate) struct Istanbul;

impl Reader for Istanbul {
    fn name(&self) -> &'static str {
        "Istanbul JSON"
    }

    fn detect(&self, head: &[u8]) -> bool {
        head.starts_with(b"{")
            && ["\"statementMap\"", "\"fnMap\"", "\"branchMap\""].iter().any(|key| holds(head, key))
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        read::map(input, recorder)
    }
}
