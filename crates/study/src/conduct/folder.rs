//! The folder of a study: the study itself, and a small file for each part of it that was measured.

use std::path::{Path, PathBuf};

use metacov_formats::{Error, Fault, Location};
use metacov_run::RunError;
use metacov_store::replace_file;

use super::TrialFolder;
use crate::{Efficiency, KnownBugs, ResultFile, StudyShard, SuiteResult, TrialOutcome};

/// The study itself.
const PLAN: &str = "study.toml";
/// The results of its suites.
const SUITES: &str = "suites";
/// The run files of suites that are run with mutants.
const RUNS: &str = "runs";
/// The results of known bugs.
const BUGS: &str = "bugs.json";
/// The cost of the gcovr pipeline.
const EFFICIENCY: &str = "efficiency.json";

/// The folder of a study.
#[derive(Clone, Copy)]
pub struct StudyFolder<'p>(pub &'p Path);

impl StudyFolder<'_> {
    /// Whether it contains a study.
    pub fn is_there(self) -> bool {
        self.0.join(PLAN).is_file()
    }

    /// The text of the study.
    pub fn study(self) -> Result<String, Error> {
        read_text(&self.0.join(PLAN))
    }

    /// The name of the study's file, for messages.
    pub fn plan(self) -> String {
        self.0.join(PLAN).display().to_string()
    }

    /// Reads all results of suites, known bugs and the pipeline.
    pub fn shard(self) -> Result<StudyShard, Error> {
        Ok(StudyShard {
            name: self.0.display().to_string(),
            study: self.study()?,
            outcomes: read_all(&self.0.join(SUITES))?,
            bugs: self.bugs()?,
            efficiency: self.efficiency()?,
        })
    }

    /// Writes the study, so that the results can be reported without the original file. A folder of
    /// another study is refused.
    pub fn keep_study(self, text: &str) -> Result<(), RunError> {
        if self.is_there() && self.study()? != text {
            return Err(RunError::Invalid(format!(
                "{} has another study, or another version of this one: choose another --out",
                self.0.display()
            )));
        }
        create(self.0)?;
        self.write_plan(text)
    }

    /// Writes the study and all results of a shard.
    pub fn keep(self, shard: &StudyShard) -> Result<(), RunError> {
        create(&self.0.join(SUITES))?;
        self.write_plan(&shard.study)?;
        for outcome in &shard.outcomes {
            self.keep_outcome(outcome)?;
        }
        shard.bugs.as_ref().map_or(Ok(()), |bugs| self.keep_bugs(bugs))?;
        shard.efficiency.as_ref().map_or(Ok(()), |efficiency| self.keep_efficiency(efficiency))
    }

    /// Writes the result of a suite.
    pub fn keep_outcome(self, outcome: &SuiteResult) -> Result<(), RunError> {
        create(&self.0.join(SUITES))?;
        write_result(&self.0.join(outcome_file(&outcome.suite_name())), outcome)
    }

    /// The path of the run file of a suite; its folder exists.
    pub fn run_file(self, suite: &str) -> Result<PathBuf, RunError> {
        let runs = self.0.join(RUNS);
        create(&runs)?;
        Ok(runs.join(format!("{suite}.metacov")))
    }

    /// Writes the results of known bugs.
    pub fn keep_bugs(self, bugs: &KnownBugs) -> Result<(), RunError> {
        write_result(&self.0.join(BUGS), bugs)
    }

    /// Writes the cost of the gcovr pipeline.
    pub fn keep_efficiency(self, efficiency: &Efficiency) -> Result<(), RunError> {
        write_result(&self.0.join(EFFICIENCY), efficiency)
    }

    /// The result of a suite, if there is one.
    pub fn outcome(self, suite: &str) -> Result<Option<SuiteResult>, Error> {
        read_result(&self.0.join(outcome_file(suite)))
    }

    /// The results of known bugs, if there are any.
    pub fn bugs(self) -> Result<Option<KnownBugs>, Error> {
        read_result(&self.0.join(BUGS))
    }

    /// The cost of the gcovr pipeline, if it was measured.
    pub fn efficiency(self) -> Result<Option<Efficiency>, Error> {
        read_result(&self.0.join(EFFICIENCY))
    }

    fn write_plan(self, text: &str) -> Result<(), RunError> {
        write_file(&self.0.join(PLAN), text)
    }
}

/// Writes a result.
pub(super) fn write_result(path: &Path, result: &impl ResultFile) -> Result<(), RunError> {
    write_file(path, &result.to_json())
}

/// Replaces a file as a whole.
fn write_file(path: &Path, text: &str) -> Result<(), RunError> {
    let unwritten = |error| RunError::Output(Fault::Io(error).of(path.display().to_string()));
    replace_file(path, |out| out.write_all(text.as_bytes())).map_err(unwritten)
}

/// Reads the results of suites of all folders.
pub fn read_shards(folders: &[PathBuf]) -> Result<Vec<StudyShard>, Error> {
    folders.iter().map(|folder| StudyFolder(folder).shard()).collect()
}

/// Reads the results of trials of all folders, with the names of these. Folders of another study
/// are refused.
pub fn read_trials(
    study: &str,
    folders: &[PathBuf],
) -> Result<Vec<(String, Vec<TrialOutcome>)>, RunError> {
    let mut shards = Vec::new();
    for folder in folders {
        let name = folder.display().to_string();
        if StudyFolder(folder).study()? != study {
            return Err(RunError::Invalid(format!(
                "{name} is not of the same study as {}",
                folders[0].display()
            )));
        }
        shards.push((name, TrialFolder(folder).outcomes()?));
    }
    Ok(shards)
}

/// Creates a folder.
pub(super) fn create(folder: &Path) -> Result<(), RunError> {
    let unwritten = |error| RunError::Output(Fault::Io(error).of(folder.display().to_string()));
    std::fs::create_dir_all(folder).map_err(unwritten)
}

fn outcome_file(suite: &str) -> String {
    format!("{SUITES}/{suite}.json")
}

/// Reads all JSON files of a folder, sorted by name; none if the folder does not exist.
pub(super) fn read_all<T: ResultFile>(folder: &Path) -> Result<Vec<T>, Error> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let fault = |error: std::io::Error| Fault::Io(error).of(folder.display().to_string());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        // Hidden files are unfinished ones.
        let is_hidden = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with('.');
        if path.extension().is_some_and(|of| of == "json")
            && !path.file_name().is_some_and(is_hidden)
        {
            paths.push(path);
        }
    }
    paths.sort();
    paths.iter().map(|path| read_file(path)).collect()
}

/// Reads a result, if there is one.
pub(super) fn read_result<T: ResultFile>(path: &Path) -> Result<Option<T>, Error> {
    path.exists().then(|| read_file(path)).transpose()
}

fn read_file<T: ResultFile>(path: &Path) -> Result<T, Error> {
    T::parse(&read_text(path)?).map_err(|fault| fault.of(path.display().to_string()))
}

/// Reads a text file.
pub fn read_text(path: &Path) -> Result<String, Error> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| Fault::Io(error).of(name()))?;
    String::from_utf8(bytes)
        .map_err(|_| Fault::malformed(Location::Whole, "the file is not UTF-8").of(name()))
}
