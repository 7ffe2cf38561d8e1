//! The gcovr pipeline of the paper on pairs of a study, and metacov on the same pairs.

use metacov_campaign::{TestPlan, WorkerOptions, measure, write_pairs};
use metacov_exec::GcovProgram;
use metacov_run::{RunError, SharedTable};

use super::{Gcovr, LineCounts, Message, PairLines, Pipeline, PipelineSample, Stopwatch};
use crate::{Efficiency, EfficiencyPlan, FileVersion, StudyPlan, Time};

/// How the pipeline ended.
pub enum PipelineEnd {
    /// All pairs were measured.
    Measured(Efficiency),
    /// It was interrupted.
    Interrupted,
}

/// Measures a sample of the pairs of a study with gcovr, and with metacov. `name` is that of the
/// target.
pub fn run_pipeline(
    plan: &StudyPlan,
    sample: EfficiencyPlan,
    gcovr: Gcovr,
    (name, options): (&str, &WorkerOptions<'_>),
    program: GcovProgram,
    on_message: &dyn Fn(Message),
) -> Result<PipelineEnd, RunError> {
    let relations = options.target.method().relations();
    let names: Vec<&str> = relations.iter().map(|relation| relation.name).collect();
    let PipelineSample { relations, pairs } = PipelineSample::of(plan, sample, &names)?;
    let sample = TestPlan { seed: plan.seed, relations, pairs, subjects: pairs };
    let mut pipeline = Pipeline::new(gcovr, program)?;
    on_message(Message::Detail(format!(
        "{name} is built with gcc --coverage, in {}",
        pipeline.folder().display()
    )));
    pipeline.build()?;
    let pairs = write_inputs(&pipeline, &sample, options)?;
    let Some((build, lines, metacov)) = by_metacov(&sample, options)? else {
        return Ok(PipelineEnd::Interrupted);
    };
    let on_pair = |number: usize| {
        on_message(Message::Note(format!("gcovr: pair {number} of {}", pairs.len())));
    };
    let measured = pipeline.measure(&pairs, &lines, options.interrupted, &on_pair)?;
    let Some(pairs) = measured else { return Ok(PipelineEnd::Interrupted) };
    let (target, gcovr) = (name.to_owned(), pipeline.gcovr().to_owned());
    let version = FileVersion;
    Ok(PipelineEnd::Measured(Efficiency { version, target, build, gcovr, pairs, metacov }))
}

/// Writes the sides of all pairs; returns the pairs, by relation and name.
fn write_inputs(
    pipeline: &Pipeline,
    sample: &TestPlan,
    options: &WorkerOptions<'_>,
) -> Result<Vec<(String, String)>, RunError> {
    let mut pairs = Vec::new();
    let language = options.target.method().language();
    let written = write_pairs(sample, options, |setup, (relation, number), sides| {
        let number = number.to_string();
        for (name, side) in [("a", &sides.a), ("b", &sides.b)] {
            let mut text = language.script(setup);
            text.extend(side.iter().map(|input| language.script(&input.statements)));
            std::fs::write(pipeline.input(relation, &number, name), text)?;
        }
        pairs.push((relation.to_owned(), number));
        Ok(())
    });
    written.map_err(|error| error.of("the pairs for the pipeline cannot be made"))?;
    Ok(pairs)
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
