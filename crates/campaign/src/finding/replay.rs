//! Findings, run again.

use std::io;

use metacov_core::Verdict;

use super::case_run::one;
use super::file::FindingFile;
use crate::worker::cases::CaseRunner;

impl FindingFile {
    /// Runs the finding again, and judges it.
    pub fn replay(&self, runner: &mut CaseRunner<'_>) -> io::Result<Verdict> {
        Ok(one(runner, &self.suspect().case)?.verdict)
    }
}
