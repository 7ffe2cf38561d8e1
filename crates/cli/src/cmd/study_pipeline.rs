//! The paper's pipeline on a few pairs of a study, beside metacov: Q.3.
//!
//! The pipeline is what the paper describes: the program is built with gcc's coverage, each side of a
//! pair is a process of its own, gcovr reports each as JSON, and a script compares the reports. The
//! script is shorter than the paper's plug-in for gcovr and writes nothing, so if anything it is faster.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, bail};
use metacov_campaign::{Plan as Sample, WorkerOptions, measure, script, write};
use metacov_core::{Criterion, Group, Pair, Reading, SiteId};
use metacov_formats::{Error, Fault};
use metacov_relations::ALL;
use metacov_run::{GroupDone, Observer, SharedTable};
use metacov_sqlite::{HEADER, OPTIONS, SOURCE, STATEMENTS};
use metacov_study::{Efficiency, EfficiencyPlan, FileVersion, PairInPipeline, StudyPlan, Time};

use super::cc::Language;
use super::measure::whole;
use super::scene::Stage;
use super::stopwatch::Stopwatch;
use super::target::engine;
use crate::talk::Console;

/// Compares two reports of gcovr.
const DIFFERENCE: &str = include_str!("study_pipeline/difference.py");

/// What came of it.
pub enum Piped {
    Measured(Efficiency),
    /// There is no gcovr.
    NoGcovr,
    Interrupted,
}

/// Measures a sample with gcovr, and with metacov.
pub fn run(
    plan: &StudyPlan,
    sample: EfficiencyPlan,
    gcovr: &Path,
    jobs: Option<NonZero<usize>>,
    talk: &Console,
) -> anyhow::Result<Piped> {
    let Some(target) = plan.targets.first() else { bail!("`[efficiency]` needs a target") };
    let Some((gcovr, version)) = version(gcovr)? else { return Ok(Piped::NoGcovr) };
    let stage = Stage::new(target, None, jobs)?;
    let conditions = stage.conditions();
    let sample = pairs(plan, sample)?;
    let folder = tempfile::tempdir().context("no folder for the pipeline")?;
    let pipeline = Pipeline { folder: folder.path(), gcovr };
    talk.detail(|| {
        format!("{target} is built with gcc --coverage, in {}", folder.path().display())
    });
    pipeline.build(&engine(target)?.notes)?;
    let inputs = pipeline.write(&sample, &conditions)?;
    let Some((build, lines, metacov)) = by_metacov(&sample, &conditions)? else {
        return Ok(Piped::Interrupted);
    };
    let mut measured = Vec::new();
    for (at, (relation, pair)) in inputs.iter().enumerate() {
        talk.note(&format!("gcovr: pair {} of {}", at + 1, inputs.len()));
        let piped = pipeline.measure(relation, pair);
        if conditions.interrupted.load(Relaxed) {
            return Ok(Piped::Interrupted);
        }
        let (coverage, difference, by_gcovr) = piped?;
        let known = lines.iter().find(|of| of.0 == *relation && of.1 == *pair);
        let Some((.., by_metacov)) = known else {
            bail!(
                "pair {pair} of {relation} fails: take another `seed`, or more pairs in `[efficiency]`"
            )
        };
        measured.push(PairInPipeline {
            relation: relation.clone(),
            pair: pair.clone(),
            coverage,
            difference,
            lines: by_gcovr,
            lines_by_metacov: *by_metacov,
        });
    }
    Ok(Piped::Measured(Efficiency {
        version: FileVersion,
        target: target.clone(),
        build,
        gcovr: version,
        pairs: measured,
        metacov,
    }))
}

/// gcovr as it can be called from anywhere, and its version; none if it is not there.
fn version(gcovr: &Path) -> anyhow::Result<Option<(PathBuf, String)>> {
    let is_path = gcovr.components().count() > 1;
    let gcovr = if is_path { std::path::absolute(gcovr)? } else { gcovr.to_owned() };
    match Command::new(&gcovr).arg("--version").output() {
        Ok(output) if output.status.success() => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let version = said.lines().next().unwrap_or_default().trim().to_owned();
            Ok(Some((gcovr, version)))
        }
        Ok(_) => bail!("{} --version fails", gcovr.display()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Fault::Io(error).of(gcovr.display().to_string()).into()),
    }
}

/// The first pairs of the study's first suite, of as many relations as there are pairs.
fn pairs(plan: &StudyPlan, sample: EfficiencyPlan) -> anyhow::Result<Sample> {
    let place = |name: &String| {
        let place = ALL.iter().position(|relation| relation.name() == name);
        place.with_context(|| format!("`{name}` is not a relation"))
    };
    let mut relations: Vec<usize> = if plan.relations.is_empty() {
        (0..ALL.len()).collect()
    } else {
        plan.relations.iter().map(place).collect::<anyhow::Result<_>>()?
    };
    relations.truncate(usize::try_from(sample.pairs).unwrap_or(usize::MAX));
    let pairs = sample.pairs.div_ceil(relations.len().max(1) as u64);
    relations.sort_unstable();
    Ok(Sample { seed: plan.seed, relations, pairs, databases: pairs })
}

/// A folder with a program that counts and a gcovr that reports.
struct Pipeline<'f> {
    folder: &'f Path,
    gcovr: PathBuf,
}

impl Pipeline<'_> {
    fn build(&self, source: &Path) -> anyhow::Result<()> {
        for name in [SOURCE, HEADER] {
            let path = source.join(name);
            std::fs::copy(&path, self.folder.join(name))
                .map_err(|error| Fault::Io(error).of(path.display().to_string()))?;
        }
        std::fs::write(self.folder.join("statements.c"), STATEMENTS)?;
        std::fs::write(self.folder.join("difference.py"), DIFFERENCE)?;
        let mut compiler = Language::C.compiler().command();
        compiler.args(["--coverage", "-O0", "-w"]).args(OPTIONS);
        self.run(compiler.args(["-c", SOURCE, "statements.c"]))?;
        let mut linker = Language::C.compiler().command();
        self.run(linker.args(["--coverage", "sqlite3.o", "statements.o", "-o", "program", "-lm"]))?;
        Ok(())
    }

    /// Writes the sides of all pairs down; returns the pairs.
    fn write(
        &self,
        sample: &Sample,
        conditions: &WorkerOptions<'_>,
    ) -> anyhow::Result<Vec<(String, String)>> {
        let mut pairs = Vec::new();
        let written = write(sample, conditions, |setup, (relation, number), sides| {
            for (name, side) in ["a", "b"].iter().zip(sides) {
                let path = self.folder.join(format!("{relation}-{number}-{name}.sql"));
                std::fs::write(path, script(setup) + &script(side))?;
            }
            pairs.push((relation.to_owned(), number.to_string()));
            Ok(())
        });
        written.context("the pairs for the pipeline cannot be made")?;
        Ok(pairs)
    }

    /// Line coverage of both sides, their difference, and how many lines of SQLite differ.
    fn measure(&self, relation: &str, pair: &str) -> anyhow::Result<(Time, Time, u64)> {
        let watch = Stopwatch::start();
        for side in ["a", "b"] {
            for unit in ["sqlite3.gcda", "statements.gcda"] {
                let _ = std::fs::remove_file(self.folder.join(unit));
            }
            let mut program = Command::new(self.folder.join("program"));
            self.run(program.arg(format!("{relation}-{pair}-{side}.sql")))?;
            let mut gcovr = Command::new(&self.gcovr);
            gcovr.args(["--root", ".", "--gcov-object-directory", ".", "--json"]);
            self.run(gcovr.args([&format!("{side}.json"), "."]))?;
        }
        let coverage = watch.time();
        let watch = Stopwatch::start();
        let said = self.run(Command::new("python3").args(["difference.py", "a.json", "b.json"]))?;
        let difference = watch.time();
        let mut files = said.lines().filter_map(|line| line.split_once(' '));
        let lines =
            files.find(|(_, file)| *file == SOURCE).and_then(|(count, _)| count.parse().ok());
        Ok((coverage, difference, lines.context("difference.py does not tell of SQLite")?))
    }

    /// What a command says, which must succeed.
    fn run(&self, command: &mut Command) -> anyhow::Result<String> {
        let name = command.get_program().to_string_lossy().into_owned();
        let output = command.current_dir(self.folder).output();
        let output = output.map_err(|error| Fault::Io(error).of(&name))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("{name} in the paper's pipeline: {}: {}", output.status, said.trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// The relation and the name of a pair, and how many of its lines differ.
type Lines = (String, String, u64);

/// The same pairs in metacov: the build, the lines that differ, and the time of all. None if it was
/// interrupted.
fn by_metacov(
    sample: &Sample,
    conditions: &WorkerOptions<'_>,
) -> anyhow::Result<Option<(String, Vec<Lines>, Time)>> {
    let watch = Stopwatch::start();
    let counts = Counts::default();
    let measured = measure(sample, conditions, SharedTable::default(), &counts);
    let time = watch.time();
    let suite = whole(measured.map(|(suite, _)| suite), sample.groups())?;
    let counts = counts.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(suite.map(|suite| (suite.table.build_id().to_string(), counts, time)))
}

/// Counts lines that differ.
#[derive(Default)]
struct Counts(Mutex<Vec<Lines>>);

impl Observer for Counts {
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        if let Ok(group) = done.outcome {
            let lines = differing(group, done.table);
            let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            counts.push((done.relation.to_owned(), done.pair.to_owned(), lines));
        }
        Ok(())
    }
}

fn differing(group: &Group<Reading>, table: &SharedTable) -> u64 {
    let [a, b, ..] = group.sides() else { return 0 };
    let difference = Pair { a: a.executed.clone(), b: b.executed.clone() }.difference();
    let table = table.table();
    let is_line = |site: &SiteId| table.get(*site).criterion() == Criterion::Line;
    difference.iter().filter(is_line).count() as u64
}
