//! The folder of a study of campaigns: the run file and the findings of each trial, and what came of it.

use std::path::{Path, PathBuf};

use metacov_formats::Error;
use metacov_study::TrialOutcome;

use super::study_folder::{all, make, parsed};
use crate::exit_code::Unwritten;
use crate::output::{Output, write_whole};

/// Where what is known of trials is: how far each is, what it said, what came of it.
const TRIALS: &str = "trials";
/// Where the run files are of campaigns that were gone through again to look at what their pairs run. They are not
/// beside the others, so that all run files there can be merged.
const OBSERVED: &str = "observed";

/// A folder of trials.
#[derive(Clone, Copy)]
pub struct Trials<'p>(pub &'p Path);

impl Trials<'_> {
    /// Makes the folder.
    pub fn begin(self) -> Result<(), Unwritten> {
        [TRIALS, OBSERVED].iter().try_for_each(|name| make(&self.0.join(name)))
    }

    pub fn run(self, id: &str) -> PathBuf {
        self.0.join(format!("{id}.metacov"))
    }

    pub fn progress(self, id: &str) -> PathBuf {
        self.0.join(TRIALS).join(format!("{id}.progress"))
    }

    pub fn log(self, id: &str) -> PathBuf {
        self.0.join(TRIALS).join(format!("{id}.log"))
    }

    /// The run file of a trial that was gone through again, and how far that is.
    pub fn observed(self, id: &str) -> (PathBuf, PathBuf) {
        let folder = self.0.join(OBSERVED);
        (folder.join(format!("{id}.metacov")), folder.join(format!("{id}.progress")))
    }

    /// What came of a trial, if it is over.
    pub fn outcome(self, id: &str) -> Result<Option<TrialOutcome>, Error> {
        let path = self.outcome_file(id);
        path.exists().then(|| parsed(&path, TrialOutcome::parse)).transpose()
    }

    pub fn keep(self, outcome: &TrialOutcome) -> Result<(), Unwritten> {
        let output = Output::File(self.outcome_file(&outcome.id));
        let text = outcome.to_json();
        write_whole(&output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)
    }

    /// All trials that are over.
    pub fn outcomes(self) -> Result<Vec<TrialOutcome>, Error> {
        all(&self.0.join(TRIALS), TrialOutcome::parse)
    }

    fn outcome_file(self, id: &str) -> PathBuf {
        self.0.join(TRIALS).join(format!("{id}.json"))
    }
}
