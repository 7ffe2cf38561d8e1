//! The gcovr pipeline of the paper on pairs of a study, and metacov on the same pairs.

use std::path::Path;

use metacov_campaign::{TestPlan, WorkerOptions, measure, write_pairs};
use metacov_run::{RunError, SharedTable};

use super::{
    Gcovr, LineCounts, Message, PairLines, Pipeline, PipelineSample, RunContext, Stopwatch, TaskEnd,
};
use crate::{Efficiency, EfficiencyPlan, FileVersion, StudyPlan, Time};

/// Measures a sample of the pairs of a study on its first target, with gcovr and with metacov. Without gcovr, it is
/// skipped.
pub fn run_pipeline(
    plan: &StudyPlan,
    sample: EfficiencyPlan,
    gcovr: &Path,
    context: &RunContext<'_>,
) -> Result<TaskEnd<Efficiency>, RunError> {
    let invalid = |what: String| RunError::Invalid(format!("`[efficiency]`{what}"));
    let Some(name) = plan.targets.first() else {
        return Err(invalid(" needs a target".to_owned()));
    };
    let (target, artifact) = context.targets.find(name)?;
    let Some(program) = target.gcov_program(&artifact) else {
        return Err(invalid(format!(": metacov cannot build {name} for gcovr")));
    };
    let Some(gcovr_program) = Gcovr::find(gcovr)? else {
        context.warn(format!(
            "{}: no such program; Q3 is reported without the paper's pipeline: pip install gcovr (or run \
             scripts/oracles and add --gcovr target/oracles/gcovr-8.7/bin/gcovr), and run this again",
            gcovr.display()
        ));
        return Ok(TaskEnd::Skipped);
    };
    let target = context.target(name, None)?;
    let options = &target.options();
    let relations = options.target.method().relations();
    let names: Vec<&str> = relations.iter().map(|relation| relation.name).collect();
    let PipelineSample { relations, pairs } = PipelineSample::of(plan, sample, &names)?;
    let sample = TestPlan { seed: plan.seed, relations, pairs, subjects: pairs };
    let mut pipeline = Pipeline::new(gcovr_program, program)?;
    (context.on_message)(Message::Detail(format!(
        "{name} is built with gcc --coverage, in {}",
        pipeline.folder().display()
    )));
    pipeline.build()?;
    let pairs = write_inputs(&pipeline, &sample, options)?;
    let Some((build, lines, metacov)) = by_metacov(&sample, options)? else {
        return Ok(TaskEnd::Interrupted);
    };
    let on_pair = |number: usize| {
        context.note(format!("gcovr: pair {number} of {}", pairs.len()));
    };
    let measured = pipeline.measure(&pairs, &lines, options.interrupted, &on_pair)?;
    let Some(pairs) = measured else { return Ok(TaskEnd::Interrupted) };
    let (target, gcovr) = (name.to_owned(), pipeline.gcovr().to_owned());
    let version = FileVersion;
    Ok(TaskEnd::Done(Efficiency { version, target, build, gcovr, pairs, metacov }))
}

/// Writes the sides of all pairs; returns the pairs, by relation and name.
fn write_inputs(
    pipeline: &Pipeline,
    sample: &TestPlan,
    options: &WorkerOptions<'_>,
) -> Result<Vec<(String, String)>, RunError> {
    let mut pairs = Vec::new();
    let written = write_pairs(sample, options, |relation, number, scripts| {
        let number = number.to_string();
        for (name, text) in scripts {
            std::fs::write(pipeline.input(relation, &number, name), text)?;
        }
        pairs.push((relation.to_owned(), number));
        Ok(())
    });
    let complete = written.and_then(|lost| match lost.first() {
        Some(state) => Err(RunError::Failed(state.to_string())),
        None => Ok(pairs),
    });
    complete.map_err(|error| error.of("the pairs for the pipeline cannot be made"))
}

/// The same pairs in metacov: the build, the lines that differ, and the time of all; none if it was
/// interrupted.
fn by_metacov(
    sample: &TestPlan,
    options: &WorkerOptions<'_>,
) -> Result<Option<(String, Vec<PairLines>, Time)>, RunError> {
    let watch = Stopwatch::start();
    let counts = LineCounts::default();
    let measured = measure(sample, options, SharedTable::default(), &counts);
    let time = watch.time();
    let (suite, _) = measured?;
    let is_complete = suite.total().all_groups() == sample.groups();
    let counts = counts.into_inner();
    Ok(is_complete.then(|| (suite.table.build_id().to_string(), counts, time)))
}
