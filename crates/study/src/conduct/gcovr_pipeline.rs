//! The pipeline of the paper on a few pairs of a study, to compare its cost with metacov's: Q.3.
//!
//! The pipeline is what the paper describes: the program is built with gcc's coverage, each side of
//! a pair is a process, gcovr reports each as JSON, and a script compares the reports. The script
//! is shorter than the paper's plug-in for gcovr and writes nothing, so if anything it is faster.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use metacov_core::{Criterion, Group, Pair, Reading, SiteId};
use metacov_exec::GcovProgram;
use metacov_formats::{Error, Fault};
use metacov_run::{GroupDone, Observer, RunError, SharedTable};
use tempfile::TempDir;

use super::Stopwatch;
use crate::{EfficiencyPlan, PairInPipeline, StudyPlan, Time};

/// Compares two reports of gcovr.
const DIFFERENCE: &str = include_str!("difference.py");

/// An installed gcovr.
pub struct Gcovr {
    path: PathBuf,
    /// Its name and version.
    pub version: String,
}

impl Gcovr {
    /// Searches for gcovr; none if it is not installed.
    pub fn find(gcovr: &Path) -> Result<Option<Self>, RunError> {
        let is_path = gcovr.components().count() > 1;
        // Commands of the pipeline run in another folder.
        let path = if is_path { std::path::absolute(gcovr)? } else { gcovr.to_owned() };
        match Command::new(&path).arg("--version").output() {
            Ok(output) if output.status.success() => {
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                let version = text.lines().next().unwrap_or_default().trim().to_owned();
                Ok(Some(Gcovr { path, version }))
            }
            Ok(_) => {
                Err(invalid(format!("{}: not a working gcovr: --version fails", path.display())))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Fault::Io(error).of(path.display().to_string()).into()),
        }
    }
}

/// Which pairs the pipeline measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineSample {
    /// The relations, by their index among all, ascending.
    pub relations: Vec<usize>,
    /// How many pairs of each.
    pub pairs: u64,
}

impl PipelineSample {
    /// The first pairs of the study's first suite, of as many relations as there are pairs. `all`
    /// has the names of all relations.
    pub fn of(plan: &StudyPlan, sample: EfficiencyPlan, all: &[&str]) -> Result<Self, RunError> {
        let index = |name: &String| {
            let index = all.iter().position(|relation| relation == name);
            index.ok_or_else(|| invalid(format!("`{name}` is not a relation")))
        };
        let mut relations: Vec<usize> = if plan.relations.is_empty() {
            (0..all.len()).collect()
        } else {
            plan.relations.iter().map(index).collect::<Result<_, _>>()?
        };
        relations.truncate(usize::try_from(sample.pairs).unwrap_or(usize::MAX));
        let pairs = sample.pairs.div_ceil(relations.len().max(1) as u64);
        relations.sort_unstable();
        Ok(PipelineSample { relations, pairs })
    }
}

/// A temporary folder with an instrumented program, and a gcovr that reports its coverage.
pub struct Pipeline {
    folder: TempDir,
    gcovr: Gcovr,
    program: GcovProgram,
}

impl Pipeline {
    /// Creates the folder.
    pub fn new(gcovr: Gcovr, program: GcovProgram) -> Result<Self, RunError> {
        let failed = |error| RunError::Failed(format!("no folder for the pipeline: {error}"));
        let folder = tempfile::tempdir().map_err(failed)?;
        Ok(Pipeline { folder, gcovr, program })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The name and version of gcovr.
    pub fn gcovr(&self) -> &str {
        &self.gcovr.version
    }

    /// Builds the program.
    pub fn build(&mut self) -> Result<(), RunError> {
        for path in &self.program.copied {
            let copy = self.folder().join(path.file_name().unwrap_or_default());
            std::fs::copy(path, copy)
                .map_err(|error| Fault::Io(error).of(path.display().to_string()))?;
        }
        for (name, text) in &self.program.written {
            std::fs::write(self.folder().join(name), text)?;
        }
        std::fs::write(self.folder().join("difference.py"), DIFFERENCE)?;
        let mut commands = std::mem::take(&mut self.program.commands);
        commands.iter_mut().try_for_each(|command| self.run(command).map(drop))
    }

    /// Returns the path of the input of a side.
    pub fn input(&self, relation: &str, pair: &str, side: &str) -> PathBuf {
        self.folder().join(input_name(relation, pair, side))
    }

    /// Measures pairs, given as relation and name, whose inputs exist. `by_metacov` has the lines
    /// that differ according to metacov. None if it was interrupted.
    pub fn measure(
        &self,
        pairs: &[(String, String)],
        by_metacov: &[PairLines],
        interrupted: &AtomicBool,
        on_pair: &dyn Fn(usize),
    ) -> Result<Option<Vec<PairInPipeline>>, RunError> {
        let mut measured = Vec::new();
        for (number, (relation, pair)) in (1..).zip(pairs) {
            on_pair(number);
            let result = self.measure_pair(relation, pair);
            if interrupted.load(Relaxed) {
                return Ok(None);
            }
            let (coverage, difference, lines) = result?;
            let known = by_metacov.iter().find(|of| of.relation == *relation && of.pair == *pair);
            let Some(known) = known else {
                return Err(invalid(format!(
                    "pair {pair} of {relation} fails: take another `seed`, or more pairs in `[efficiency]`"
                )));
            };
            measured.push(PairInPipeline {
                relation: relation.clone(),
                pair: pair.clone(),
                coverage,
                difference,
                lines,
                lines_by_metacov: known.lines,
            });
        }
        Ok(Some(measured))
    }

    /// The time for the coverage of both sides and for their difference, and how many lines differ.
    fn measure_pair(&self, relation: &str, pair: &str) -> Result<(Time, Time, u64), RunError> {
        let watch = Stopwatch::start();
        for side in ["a", "b"] {
            for counters in self.program.counters {
                let _ = std::fs::remove_file(self.folder().join(counters));
            }
            let mut program = Command::new(self.folder().join("program"));
            self.run(program.arg(input_name(relation, pair, side)))?;
            let mut gcovr = Command::new(&self.gcovr.path);
            gcovr.args(["--root", ".", "--gcov-object-directory", ".", "--json"]);
            self.run(gcovr.args([&format!("{side}.json"), "."]))?;
        }
        let coverage = watch.time();
        let watch = Stopwatch::start();
        let text = self.run(Command::new("python3").args(["difference.py", "a.json", "b.json"]))?;
        let difference = watch.time();
        let mut files = text.lines().filter_map(|line| line.split_once(' '));
        let lines = files.find(|(_, file)| *file == self.program.source);
        let lines = lines.and_then(|(count, _)| count.parse().ok());
        let missing =
            || RunError::Failed(format!("difference.py has no result for {}", self.program.name));
        Ok((coverage, difference, lines.ok_or_else(missing)?))
    }

    /// The output of a command, which must succeed.
    fn run(&self, command: &mut Command) -> Result<String, RunError> {
        let name = command.get_program().to_string_lossy().into_owned();
        let output = command.current_dir(self.folder()).output();
        let output = output.map_err(|error| Fault::Io(error).of(&name))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            let (status, text) = (output.status, text.trim());
            let what = format!("{name} in the paper's pipeline: {status}: {text}");
            return Err(RunError::Failed(what));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

fn input_name(relation: &str, pair: &str, side: &str) -> String {
    format!("{relation}-{pair}-{side}.sql")
}

fn invalid(what: String) -> RunError {
    RunError::Invalid(what)
}

/// How many lines of a pair differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairLines {
    /// The relation of the pair.
    pub relation: String,
    /// The name of the pair.
    pub pair: String,
    /// How many lines are in its difference.
    pub lines: u64,
}

/// Counts the lines that differ, for each pair that metacov measures.
#[derive(Default)]
pub struct LineCounts(Mutex<Vec<PairLines>>);

impl LineCounts {
    /// The counts of all pairs.
    pub fn into_inner(self) -> Vec<PairLines> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for LineCounts {
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        if let Ok(group) = done.outcome {
            let (relation, pair) = (done.relation.to_owned(), done.pair.to_owned());
            let lines = differing_lines(group, done.table);
            let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            counts.push(PairLines { relation, pair, lines });
        }
        Ok(())
    }
}

fn differing_lines(group: &Group<Reading>, table: &SharedTable) -> u64 {
    let [a, b, ..] = group.sides() else { return 0 };
    let difference = Pair { a: a.executed.clone(), b: b.executed.clone() }.difference();
    let table = table.table();
    let is_line = |site: &SiteId| table.get(*site).criterion() == Criterion::Line;
    difference.iter().filter(is_line).count() as u64
}
