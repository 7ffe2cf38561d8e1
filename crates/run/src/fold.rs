//! Folds suites in parallel and in constant memory.
//!
//! Each worker reads groups into a private site table, renumbers them for the table that all
//! workers share, calls the observer, and folds them into private tallies, which are united at the
//! end. Uniting is commutative, so the result does not depend on the number of workers.

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use metacov_core::{
    Context, Group, Missing, Operation, OutputJudge, Setup, SideOutput, StoredInput, Suite,
    SuiteFold, Verdict,
};
use metacov_exec::{SideReading, SideRun};
use metacov_formats::{
    CoverageLoader, Error, Fault, FileSpec, GroupSpec, Location, PairList, Scope, SharedNotes,
    Specs,
};

use crate::pool::{PoolState, run_jobs};
use crate::{GroupRead, Observer, RunError, SharedTable, WorkerFold};

/// How to fold a suite.
#[derive(Clone, Debug)]
pub struct FoldOptions {
    /// Which code counts.
    pub scope: Scope,
    /// The set operation between the sides of each pair.
    pub operation: Operation,
    /// Files that list all code, whether it ran or not.
    pub universe: Vec<FileSpec>,
    /// How many workers.
    pub workers: NonZero<usize>,
}

/// Runs or reads the sides of groups.
pub trait Source: Sync {
    /// A side of a group.
    type Side: Send;
    /// The state that a worker keeps from side to side.
    type Runner;

    /// Creates the state of the worker with this number.
    fn runner(&self, worker: usize) -> Self::Runner;

    /// Returns the reading and the output of a side, or why it has no cover. `inputs` are those that
    /// [`Source::inputs`] returned.
    fn read(
        &self,
        side: &Self::Side,
        inputs: &[StoredInput],
        runner: &mut Self::Runner,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<SideRun, RunError>;

    /// Judges the outputs of all sides. Returns the judge and its verdict; none if there is no
    /// judge.
    fn judge(
        &self,
        _spec: &GroupSpec<Self::Side>,
        _outputs: &[SideOutput],
        _runner: &mut Self::Runner,
    ) -> Result<Option<(OutputJudge, Verdict)>, RunError> {
        Ok(None)
    }

    /// Returns the name of a side for messages.
    fn name(&self, side: &Self::Side) -> String;

    /// Returns the inputs of a side, if it is run.
    fn inputs(&self, _side: &Self::Side) -> Result<Vec<StoredInput>, Error> {
        Ok(Vec::new())
    }

    /// Returns the setup of the state that all sides start from, if they share one.
    fn setup(&self) -> Option<Arc<Setup>> {
        None
    }
}

/// Folds all groups of a list that the observer does not know yet, and passes each to the observer.
/// The result is that of those groups, over the shared table.
///
/// The first group that cannot be read ends the fold, and its error is the result: the first by its
/// place in the list, whichever worker read it. An interrupt ends the fold too, but loses nothing:
/// the result is what was folded until then.
pub fn fold<S: Source>(
    source: &S,
    pairs: PairList<S::Side>,
    options: &FoldOptions,
    table: SharedTable,
    observer: &dyn Observer,
) -> Result<Suite, RunError> {
    let workers = options.workers.get().min(usize::try_from(pairs.groups).unwrap_or(usize::MAX));
    let groups = Groups { specs: pairs.specs, next: 0 };
    let (groups, library) = (Mutex::new(groups), Arc::<SharedNotes>::default());
    let next = |state: &PoolState| {
        groups.lock().unwrap_or_else(PoisonError::into_inner).next(source, state, observer)
    };
    let folds = run_jobs(workers.max(1), next, |jobs| {
        let mut fold = WorkerFold::new(&table, options.operation);
        let mut loader = CoverageLoader::sharing(library.clone(), &options.scope);
        if let Err(error) = loader.read_universe(&options.universe) {
            jobs.fail(0, error.into());
        }
        let mut runner = source.runner(jobs.worker);
        // Groups whose counters were taken, to be solved together.
        let (mut waiting, mut took) = (Vec::new(), Duration::ZERO);
        let mut complete = |waiting: &mut Vec<_>, loader: &mut _| {
            if let Err((at, reason)) = complete(source, waiting, &mut fold, loader, observer) {
                jobs.fail(at, reason);
            }
        };
        jobs.run(|place, spec| {
            let ran = run_group(source, options.operation, spec, &mut runner, &mut loader)?;
            took += ran.took;
            waiting.push((place, ran));
            if loader.taken() == 0 || !loader.has_room() || took > WAIT_MAX {
                complete(&mut waiting, &mut loader);
                took = Duration::ZERO;
            }
            Ok(())
        });
        complete(&mut waiting, &mut loader);
        fold
    })?;
    let mut all = SuiteFold::new(&table.table(), options.operation);
    for fold in folds {
        all.merge(fold.finish());
    }
    Ok(all.finish(table.into_table(), options.scope.per_instance))
}

/// The remaining groups.
struct Groups<S> {
    specs: Specs<S>,
    next: u64,
}

impl<S> Groups<S> {
    /// The next group that the observer does not know, and its place.
    fn next(
        &mut self,
        source: &impl Source<Side = S>,
        state: &PoolState,
        observer: &dyn Observer,
    ) -> Option<(u64, GroupSpec<S>)> {
        while !state.is_over() && !observer.is_interrupted() {
            let at = self.next;
            self.next += 1;
            let is_new = self.specs.next()?.and_then(|spec| {
                let is_done = observer.is_done(at, &spec.relation, &spec.pair)?;
                if is_done {
                    let inputs = inputs(source, &spec)?;
                    observer.check_done(&spec.relation, &spec.pair, &inputs)?;
                }
                Ok((!is_done).then_some(spec))
            });
            match is_new {
                Ok(Some(spec)) => return Some((at, spec)),
                Ok(None) => {}
                Err(error) => state.stop(at, error.into()),
            }
        }
        None
    }
}

/// Groups that took longer than this together are not kept waiting: if this process is killed, they
/// are lost.
const WAIT_MAX: Duration = Duration::from_millis(50);

/// A group whose sides have run. Those whose counters were taken have no reading yet.
struct RanGroup<S> {
    spec: GroupSpec<S>,
    readings: Result<Group<SideReading>, (usize, Missing)>,
    /// How many of its executions are to be solved.
    taken: usize,
    outputs: Vec<SideOutput>,
    context: Context,
    took: Duration,
}

/// Reads or runs the sides of a group, judges it, and measures how long that takes.
#[expect(
    clippy::disallowed_methods,
    reason = "how long a group took is reported, and part of no result"
)]
fn run_group<S: Source>(
    source: &S,
    operation: Operation,
    spec: GroupSpec<S::Side>,
    runner: &mut S::Runner,
    loader: &mut CoverageLoader<'_>,
) -> Result<RanGroup<S::Side>, RunError> {
    let sides = spec.sides.sides();
    if operation != Operation::Xor && sides.len() > 2 {
        let what = format!("`{operation}` takes two sides, this pair has {}", sides.len());
        return Err(Fault::malformed(Location::Whole, what)
            .of(format!("pair {} of {}", spec.pair, spec.relation))
            .into());
    }
    let located = |error: RunError| match error {
        RunError::Input(error) => RunError::Input(spec.locate(error)),
        other => other,
    };
    let inputs = inputs(source, &spec).map_err(|error| located(error.into()))?;
    let mut context = Context { setup: source.setup(), ..Context::default() };
    let start = Instant::now();
    let (before, mut outputs, mut number) = (loader.taken(), Vec::new(), 0);
    let read = spec.sides.try_map(|side| {
        let inputs = inputs.get(number).map_or(&[][..], |inputs| inputs);
        number += 1;
        let SideRun { reading, output } =
            source.read(side, inputs, runner, loader).map_err(located)?;
        outputs.extend(output);
        Ok::<_, RunError>(reading)
    })?;
    context.inputs = inputs;
    let missing = read.sides().iter().position(Result::is_err);
    let mut readings = read.transposed().map_err(|failed| (missing.unwrap_or(0), failed));
    if readings.is_ok()
        && let Some((judge, verdict)) = source.judge(&spec, &outputs, runner).map_err(located)?
    {
        context.judge = Some(judge.to_string());
        match verdict {
            Verdict::Invalid(reason) => readings = Err((reason.side(), reason.missing())),
            verdict => context.verdict = Some(verdict),
        }
    }
    let taken = loader.taken() - before;
    Ok(RanGroup { spec, readings, taken, outputs, context, took: start.elapsed() })
}

/// Solves the counters of these groups, and folds the groups in their order. An error is that of a
/// group at this place.
fn complete<S: Source>(
    source: &S,
    waiting: &mut Vec<(u64, RanGroup<S::Side>)>,
    fold: &mut WorkerFold<'_>,
    loader: &mut CoverageLoader<'_>,
    observer: &dyn Observer,
) -> Result<(), (u64, RunError)> {
    let mut covers = loader.solve().into_iter();
    for (place, ran) in waiting.drain(..) {
        let failed = |reason| (place, reason);
        let mut covers = covers.by_ref().take(ran.taken);
        let RanGroup { spec, readings, outputs, mut context, took, .. } = ran;
        let mut number = 0;
        let readings = match readings {
            Err(missing) => {
                covers.for_each(drop);
                Err(missing)
            }
            Ok(sides) => {
                let sides = sides.map(|side| {
                    number += 1;
                    let solved = match side {
                        SideReading::Complete(reading) => Ok(Ok(reading)),
                        SideReading::Taken(taken) => {
                            let nothing =
                                || Err(Fault::malformed(Location::Whole, UNSOLVED).of(""));
                            taken.complete(covers.next().unwrap_or_else(nothing))
                        }
                    };
                    solved.map(|reading| reading.map_err(|missing| (number - 1, missing)))
                });
                let sides =
                    sides.transposed().map_err(|error| failed(spec.locate(error).into()))?;
                sides.transposed()
            }
        };
        if readings.is_err() || matches!(context.verdict, Some(Verdict::Violated(_))) {
            context.outputs = outputs.iter().map(SideOutput::to_store).collect();
        }
        if readings.is_err() {
            context.verdict = None;
        }
        let names: Vec<String> = spec.sides.sides().iter().map(|side| source.name(side)).collect();
        let GroupSpec { relation, pair, .. } = &spec;
        let read = GroupRead { place, relation, pair, sides: &names, readings, context, took };
        fold.add(read, loader.table(), observer).map_err(failed)?;
    }
    Ok(())
}

/// An error that does not occur: there is a result for each execution.
const UNSOLVED: &str = "an execution was not solved";

/// By side: what a group is run on; nothing at all if it is not run.
fn inputs<S: Source>(
    source: &S,
    spec: &GroupSpec<S::Side>,
) -> Result<Vec<Vec<StoredInput>>, Error> {
    let sides = spec.sides.sides().iter();
    let inputs = sides.map(|side| source.inputs(side)).collect::<Result<Vec<_>, _>>()?;
    Ok(if inputs.iter().all(Vec::is_empty) { Vec::new() } else { inputs })
}
