//! The progress file of a trial: written by its campaign, read by the study.

use std::path::Path;

use metacov_formats::{Error, Fault, Location};
use serde::Deserialize;

/// How far the campaign of a trial is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialProgress {
    /// Pairs of the rounds that are complete.
    pub pairs: u64,
    /// Distinct bugs found.
    pub bugs: u64,
    /// Wall clock time of all processes that ran a part of the campaign, in seconds.
    pub seconds: f64,
    /// Their processor time, in seconds.
    pub processor_seconds: f64,
    /// Whether the budget is spent.
    pub is_over: bool,
}

impl TrialProgress {
    /// Reads a progress file. A file that does not exist means that the campaign has not begun.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = || path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| Fault::malformed(Location::Whole, error.to_string()).of(name())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(TrialProgress::default())
            }
            Err(error) => Err(Fault::Io(error).of(name())),
        }
    }
}
