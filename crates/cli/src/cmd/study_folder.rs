//! The folder of a study: the study itself, and a small file for each part of it that was measured.

use std::path::Path;

use anyhow::bail;
use metacov_formats::{Error, Fault, Location};
use metacov_study::{Efficiency, KnownBugs, StudyShard, SuiteResult};

use crate::exit_code::Unwritten;
use crate::output::{Output, write_whole};

/// The study itself.
const PLAN: &str = "study.toml";
/// Where the outcomes of its suites are.
const SUITES: &str = "suites";
/// What is known of known bugs.
const BUGS: &str = "bugs.json";
/// What the paper's pipeline costs.
const EFFICIENCY: &str = "efficiency.json";

/// A folder of a study.
#[derive(Clone, Copy)]
pub struct Folder<'p>(pub &'p Path);

impl Folder<'_> {
    /// Whether there is a study.
    pub fn is_there(self) -> bool {
        self.0.join(PLAN).is_file()
    }

    /// The study, as its author wrote it.
    pub fn study(self) -> Result<String, Error> {
        read(&self.0.join(PLAN))
    }

    /// The file that the study is in, for messages.
    pub fn plan(self) -> String {
        self.0.join(PLAN).display().to_string()
    }

    /// All that is there.
    pub fn part(self) -> Result<StudyShard, Error> {
        Ok(StudyShard {
            name: self.0.display().to_string(),
            study: self.study()?,
            outcomes: self.outcomes()?,
            bugs: self.bugs()?,
            efficiency: self.efficiency()?,
        })
    }

    /// The study itself goes into the folder, so that what is there can be told later.
    pub fn keep_study(self, text: &str) -> anyhow::Result<()> {
        if self.is_there() && self.study()? != text {
            bail!(
                "{} holds another study, or another version of this one; choose another --out",
                self.0.display()
            );
        }
        make(self.0)?;
        Ok(self.write(PLAN, text)?)
    }

    /// Keeps all of a part.
    pub fn keep(self, part: &StudyShard) -> Result<(), Unwritten> {
        make(&self.0.join(SUITES))?;
        self.write(PLAN, &part.study)?;
        for outcome in &part.outcomes {
            self.keep_outcome(outcome)?;
        }
        part.bugs.as_ref().map_or(Ok(()), |bugs| self.keep_bugs(bugs))?;
        part.efficiency.as_ref().map_or(Ok(()), |efficiency| self.keep_efficiency(efficiency))
    }

    pub fn keep_outcome(self, outcome: &SuiteResult) -> Result<(), Unwritten> {
        make(&self.0.join(SUITES))?;
        self.write(&outcome_file(&outcome.suite_name()), &outcome.to_json())
    }

    pub fn keep_bugs(self, bugs: &KnownBugs) -> Result<(), Unwritten> {
        self.write(BUGS, &bugs.to_json())
    }

    pub fn keep_efficiency(self, efficiency: &Efficiency) -> Result<(), Unwritten> {
        self.write(EFFICIENCY, &efficiency.to_json())
    }

    /// The outcome of a suite, if it is there.
    pub fn outcome(self, suite: &str) -> Result<Option<SuiteResult>, Error> {
        self.kept(&outcome_file(suite), SuiteResult::parse)
    }

    pub fn bugs(self) -> Result<Option<KnownBugs>, Error> {
        self.kept(BUGS, KnownBugs::parse)
    }

    pub fn efficiency(self) -> Result<Option<Efficiency>, Error> {
        self.kept(EFFICIENCY, Efficiency::parse)
    }

    fn outcomes(self) -> Result<Vec<SuiteResult>, Error> {
        all(&self.0.join(SUITES), SuiteResult::parse)
    }

    fn kept<T>(self, name: &str, parse: fn(&str) -> Result<T, Fault>) -> Result<Option<T>, Error> {
        let path = self.0.join(name);
        path.exists().then(|| parsed(&path, parse)).transpose()
    }

    fn write(self, name: &str, text: &str) -> Result<(), Unwritten> {
        let output = Output::File(self.0.join(name));
        write_whole(&output, |out| out.write_all(text.as_bytes())).map_err(Unwritten)
    }
}

/// Makes a folder.
pub fn make(folder: &Path) -> Result<(), Unwritten> {
    let unwritten = |error| Unwritten(Fault::Io(error).of(folder.display().to_string()));
    std::fs::create_dir_all(folder).map_err(unwritten)
}

fn outcome_file(suite: &str) -> String {
    format!("{SUITES}/{suite}.json")
}

/// What is in the files of a folder, in the order of their names; nothing if there is no folder.
pub fn all<T>(folder: &Path, parse: fn(&str) -> Result<T, Fault>) -> Result<Vec<T>, Error> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let fault = |error: std::io::Error| Fault::Io(error).of(folder.display().to_string());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        let is_hidden = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with('.');
        if path.extension().is_some_and(|of| of == "json")
            && !path.file_name().is_some_and(is_hidden)
        {
            paths.push(path);
        }
    }
    paths.sort();
    paths.iter().map(|path| parsed(path, parse)).collect()
}

/// What is in a file.
pub fn parsed<T>(path: &Path, parse: fn(&str) -> Result<T, Fault>) -> Result<T, Error> {
    parse(&read(path)?).map_err(|fault| fault.of(path.display().to_string()))
}

/// A text file, whole.
pub fn read(path: &Path) -> Result<String, Error> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| Fault::Io(error).of(name()))?;
    String::from_utf8(bytes)
        .map_err(|_| Fault::malformed(Location::Whole, "is not UTF-8").of(name()))
}
