//! Findings, run again.

use std::io;

use super::examine::{Seen, one};
use super::file::FindingFile;
use super::suspect::FailureKind;
use crate::experiment::CaseRunner;

/// What comes of a finding when it is run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayResult {
    /// It fails.
    Fails(FailureKind),
    /// It does not fail.
    Holds,
    /// It says nothing here: why.
    Nothing(String),
}

impl FindingFile {
    /// Runs the finding again.
    pub fn replay(&self, laboratory: &mut CaseRunner<'_>) -> io::Result<ReplayResult> {
        Ok(match one(laboratory, &self.suspect().case)?.seen {
            Seen::Wrong(what) => ReplayResult::Fails(what),
            Seen::Holds => ReplayResult::Holds,
            Seen::Nothing(why) => ReplayResult::Nothing(why),
        })
    }
}
