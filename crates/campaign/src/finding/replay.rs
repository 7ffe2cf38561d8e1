//! Findings, run again.

use std::io;

use super::examine::{Seen, one};
use super::file::FindingFile;
use super::suspect::What;
use crate::experiment::Laboratory;

/// What comes of a finding when it is run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// It fails.
    Fails(What),
    /// It does not fail.
    Holds,
    /// It says nothing here: why.
    Nothing(String),
}

impl FindingFile {
    /// Runs the finding again.
    pub fn replay(&self, laboratory: &mut Laboratory<'_>) -> io::Result<Replayed> {
        Ok(match one(laboratory, &self.suspect().case)?.seen {
            Seen::Wrong(what) => Replayed::Fails(what),
            Seen::Holds => Replayed::Holds,
            Seen::Nothing(why) => Replayed::Nothing(why),
        })
    }
}
