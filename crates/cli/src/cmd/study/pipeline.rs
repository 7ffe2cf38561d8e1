//! The gcovr pipeline of the paper on pairs of a study, and metacov on the same pairs.

use std::num::NonZero;
use std::path::Path;

use anyhow::{Context as _, bail};
use metacov_campaign::{TestPlan, WorkerOptions, measure, write_pairs};
use metacov_run::SharedTable;
use metacov_study::conduct::{
    Gcovr, LineCounts, PairLines, Pipeline, PipelineProgram, PipelineSample, Stopwatch,
};
use metacov_study::{Efficiency, EfficiencyPlan, FileVersion, StudyPlan, Time};
use metacov_targets::sqlite::{HEADER, OPTIONS, SOURCE, STATEMENTS};

use crate::cmd::cc::Language;
use crate::cmd::measure::whole;
use crate::cmd::scene::Stage;
use crate::cmd::target::list;
use crate::talk::Console;

/// What became of the pipeline.
pub enum Piped {
    Measured(Efficiency),
    /// gcovr is not installed.
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
    let Some(gcovr) = Gcovr::find(gcovr)? else { return Ok(Piped::NoGcovr) };
    let stage = Stage::new(target, None, jobs)?;
    let conditions = stage.options();
    let relations = conditions.target.method().relations();
    let names: Vec<&str> = relations.iter().map(|relation| relation.name).collect();
    let PipelineSample { relations, pairs } = PipelineSample::of(plan, sample, &names)?;
    let sample = TestPlan { seed: plan.seed, relations, pairs, subjects: pairs };
    let mut pipeline = Pipeline::new(gcovr, program(&list().find(target)?.1.folder))?;
    talk.detail(|| {
        format!("{target} is built with gcc --coverage, in {}", pipeline.folder().display())
    });
    pipeline.build()?;
    let pairs = write_inputs(&pipeline, &sample, &conditions)?;
    let Some((build, lines, metacov)) = by_metacov(&sample, &conditions)? else {
        return Ok(Piped::Interrupted);
    };
    let on_pair = |number: usize| talk.note(&format!("gcovr: pair {number} of {}", pairs.len()));
    let measured = pipeline.measure(&pairs, &lines, conditions.interrupted, &on_pair)?;
    let Some(pairs) = measured else { return Ok(Piped::Interrupted) };
    let (target, gcovr) = (target.clone(), pipeline.gcovr().to_owned());
    Ok(Piped::Measured(Efficiency { version: FileVersion, target, build, gcovr, pairs, metacov }))
}

/// How SQLite is built with gcc's coverage.
fn program(source: &Path) -> PipelineProgram<'static> {
    let mut compiler = Language::C.compiler().command();
    compiler.args(["--coverage", "-O0", "-w"]).args(OPTIONS);
    compiler.args(["-c", SOURCE, "statements.c"]);
    let mut linker = Language::C.compiler().command();
    linker.args(["--coverage", "sqlite3.o", "statements.o", "-o", "program", "-lm"]);
    PipelineProgram {
        name: "SQLite",
        copied: [SOURCE, HEADER].iter().map(|name| source.join(name)).collect(),
        written: vec![("statements.c", STATEMENTS)],
        commands: vec![compiler, linker],
        source: SOURCE,
        counters: &["sqlite3.gcda", "statements.gcda"],
    }
}

/// Writes the sides of all pairs; returns the pairs, by relation and name.
fn write_inputs(
    pipeline: &Pipeline<'_>,
    sample: &TestPlan,
    conditions: &WorkerOptions<'_>,
) -> anyhow::Result<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    let language = conditions.target.method().language();
    let written = write_pairs(sample, conditions, |setup, (relation, number), sides| {
        let number = number.to_string();
        for (name, side) in [("a", &sides.a), ("b", &sides.b)] {
            let mut text = language.script(setup);
            text.extend(side.iter().map(|input| language.script(&input.statements)));
            std::fs::write(pipeline.input(relation, &number, name), text)?;
        }
        pairs.push((relation.to_owned(), number));
        Ok(())
    });
    written.context("the pairs for the pipeline cannot be made")?;
    Ok(pairs)
}

/// The same pairs in metacov: the build, the lines that differ, and the time of all. None if it was interrupted.
fn by_metacov(
    sample: &TestPlan,
    conditions: &WorkerOptions<'_>,
) -> anyhow::Result<Option<(String, Vec<PairLines>, Time)>> {
    let watch = Stopwatch::start();
    let counts = LineCounts::default();
    let measured = measure(sample, conditions, SharedTable::default(), &counts);
    let time = watch.time();
    let suite = whole(measured.map(|(suite, _)| suite), sample.groups())?;
    let counts = counts.into_inner();
    Ok(suite.map(|suite| (suite.table.build_id().to_string(), counts, time)))
}
