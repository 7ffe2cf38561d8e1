//! The folder of a study of campaigns: run file, findings, progress, log and result of each trial.

use std::path::{Path, PathBuf};

use metacov_formats::Error;
use metacov_run::RunError;

use super::folder::{create, read_all, read_result, write_result};
use crate::TrialOutcome;

/// Progress, log and result of each trial.
const TRIALS: &str = "trials";
/// Run files of campaigns that were repeated to observe what their pairs run. They are in a
/// separate folder, so that all run files of the study's folder can be merged.
const OBSERVED: &str = "observed";

/// The folder of a study of campaigns.
#[derive(Clone, Copy)]
pub struct TrialFolder<'p>(pub &'p Path);

impl TrialFolder<'_> {
    /// Creates the folder.
    pub fn create(self) -> Result<(), RunError> {
        [TRIALS, OBSERVED].iter().try_for_each(|name| create(&self.0.join(name)))
    }

    /// The run file of a trial.
    pub fn run(self, id: &str) -> PathBuf {
        self.0.join(format!("{id}.metacov"))
    }

    /// The progress file of a trial.
    pub fn progress(self, id: &str) -> PathBuf {
        self.0.join(TRIALS).join(format!("{id}.progress"))
    }

    /// The log of a trial.
    pub fn log(self, id: &str) -> PathBuf {
        self.0.join(TRIALS).join(format!("{id}.log"))
    }

    /// The run file and the progress file of a trial that is repeated to observe it.
    pub fn observed(self, id: &str) -> (PathBuf, PathBuf) {
        let folder = self.0.join(OBSERVED);
        (folder.join(format!("{id}.metacov")), folder.join(format!("{id}.progress")))
    }

    /// The result of a trial, if it is complete.
    pub fn outcome(self, id: &str) -> Result<Option<TrialOutcome>, Error> {
        read_result(&self.outcome_file(id))
    }

    /// Writes the result of a trial.
    pub fn keep(self, outcome: &TrialOutcome) -> Result<(), RunError> {
        write_result(&self.outcome_file(&outcome.id), outcome)
    }

    /// The results of all complete trials.
    pub fn outcomes(self) -> Result<Vec<TrialOutcome>, Error> {
        read_all(&self.0.join(TRIALS))
    }

    fn outcome_file(self, id: &str) -> PathBuf {
        self.0.join(TRIALS).join(format!("{id}.json"))
    }
}
