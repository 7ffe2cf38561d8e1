//! One file for each subcommand, and what they share.

pub mod cc;
pub mod check;
pub mod compare;
pub mod completions;
pub mod diff;
pub mod fuzz;
pub mod generate;
pub mod inner;
mod interrupts;
pub mod locate;
pub mod man;
pub mod measure;
pub mod merge;
pub mod overlap;
mod pages;
pub mod pair;
mod present;
pub mod replay;
pub mod report;
mod source_texts;
pub mod study;
pub mod target;

use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use metacov_core::{Criterion, StoredInput, Suite, counted};
use metacov_formats::{Error, PairList};
use metacov_report::left_out_note;
use metacov_run::{FoldOptions, GroupDone, Observer, SharedTable, Source, fold};
use metacov_store::{Provenance, Run, RunWriter};

use crate::args::output::Presentation;
use crate::args::run_file::RunFile;
use crate::console::Console;
use crate::console::failures::Failures;
use crate::console::progress::Progress;
use crate::console::results::Results;
use crate::console::violations::{self, PairOrigin, Violations};
use crate::exit_code::{ExitCode, Unwritten, bail_usage};
use present::Origin;

/// A validated configuration: a suite to fold, and what to show.
pub struct Config<S: Source> {
    source: S,
    pairs: PairList<S::Side>,
    frame: RunSettings,
}

/// The settings of a suite, whatever its source.
pub struct RunSettings {
    options: FoldOptions,
    presentation: Presentation,
    run_file: Option<RunFile>,
    /// Where the numbers come from.
    provenance: Provenance,
    leave_out_flaky: bool,
    /// Whether the speed is shown.
    timed: bool,
    origin: PairOrigin,
}

/// Folds a suite and shows it.
pub fn run<S: Source>(config: Config<S>, console: &Console) -> anyhow::Result<ExitCode> {
    let Config { source, pairs, mut frame } = config;
    // There are as many blocks as all other sites together, so they are read only on request.
    frame.options.scope.blocks = frame.presentation.asks_for(Criterion::Block);
    let (planned, options) = (pairs.groups, frame.options.clone());
    frame.run(planned, console, |table, observer| fold(&source, pairs, &options, table, observer))
}

impl RunSettings {
    /// Folds groups with `fold` and shows the result: that of the run file, if there is one.
    fn run<E: Into<anyhow::Error>>(
        self,
        planned: u64,
        console: &Console,
        fold: impl FnOnce(SharedTable, &dyn Observer) -> Result<Suite, E>,
    ) -> anyhow::Result<ExitCode> {
        let RunSettings {
            options,
            presentation,
            run_file,
            mut provenance,
            leave_out_flaky,
            timed,
            origin,
        } = self;
        if presentation.plot().is_some() && run_file.is_none() {
            bail_usage!("a plot (.svg) needs a run file: add -o RUN.metacov");
        }
        let mut recorder =
            run_file.as_ref().map(|file| file.open(&options, planned, &provenance)).transpose()?;
        let known = recorder.as_ref().map_or(0, RunWriter::known);
        if known > 0 {
            let planned = counted(planned, "pair", "pairs");
            console.note(&format!("continuing: {known} of {planned} done"));
        }
        let table = recorder.as_mut().map(RunWriter::shared_table).unwrap_or_default();
        let progress = Progress::new(console, planned, known, options.operation);
        let failures = Failures::new(console);
        let violations = Violations::default();
        let results = presentation.needs_pairs().then(Results::default);
        let interrupted = run_file.as_ref().map(|file| &*file.interrupted);
        let observers = Observers {
            recorder: recorder.as_ref(),
            progress: &progress,
            failures: &failures,
            violations: &violations,
            results: results.as_ref(),
            interrupted,
        };
        let folded = fold(table, &observers);
        progress.finish(timed);
        failures.finish();
        let measured = folded.as_ref().map_or(0, |suite| known + suite.total().all_groups());
        if let Some(recorder) = recorder {
            let kept = recorder.keep_left_out(&options.scope.left_out).map_err(Unwritten);
            let table = folded.as_ref().ok().map(|suite| &suite.table);
            let finished = recorder.finish(measured == planned, table).map_err(Unwritten);
            // The error that ended the fold is the cause of later ones.
            folded.is_ok().then_some(kept.and(finished)).transpose()?;
        }
        let mut suite = folded.map_err(Into::into)?;
        let mut violations = violations.into_inner();
        let mut pairs = results.map(Results::into_inner);
        if let Some(file) = &run_file {
            let run = Run::open(&file.path)?;
            violations = run.violations()?;
            pairs = pairs.map(|_| run.results()).transpose()?;
            provenance = run.header.provenance.clone();
            suite = run.suite()?.0;
        } else {
            provenance.left_out = options.scope.left_out.by_file();
        }
        if let Some(note) = left_out_note(provenance.left_out.values().sum()) {
            console.note(&note);
        }
        if measured < planned {
            let planned = counted(planned, "pair", "pairs");
            console.warning(&format!("interrupted: the numbers are of {measured} of {planned}"));
        }
        let code = if measured > 0 {
            if leave_out_flaky {
                self::leave_out_flaky(&mut suite);
            }
            let run = run_file.as_ref().map(|file| &*file.path);
            let (root, pairs) = (&*options.scope.root, pairs.as_deref().unwrap_or_default());
            let (provenance, since) = (&provenance.rows(), None);
            let context = Origin { root, run, since, provenance, violations: &violations, pairs };
            present::present(&suite, &presentation, &context, console)?
        } else {
            ExitCode::Success
        };
        let code = violations::report(&violations, origin, code, console);
        Ok(if measured < planned { ExitCode::Interrupted } else { code })
    }
}

/// Excludes sites that ran in some repetitions of an execution and not in others.
fn leave_out_flaky(suite: &mut Suite) {
    for site in suite.total().flaky.iter() {
        suite.table.exclude(site);
    }
}

/// All observers of a run.
struct Observers<'r> {
    recorder: Option<&'r RunWriter>,
    progress: &'r Progress<'r>,
    failures: &'r Failures<'r>,
    violations: &'r Violations,
    /// All results, if an output needs them.
    results: Option<&'r Results>,
    /// Set if no more groups are to be started.
    interrupted: Option<&'r AtomicBool>,
}

impl Observer for Observers<'_> {
    fn is_done(&self, place: u64, relation: &str, pair: &str) -> Result<bool, Error> {
        self.recorder.map_or(Ok(false), |recorder| recorder.is_done(place, relation, pair))
    }

    fn check_done(
        &self,
        relation: &str,
        pair: &str,
        inputs: &[Vec<StoredInput>],
    ) -> Result<(), Error> {
        self.recorder.map_or(Ok(()), |recorder| recorder.check_done(relation, pair, inputs))
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.is_some_and(|interrupted| interrupted.load(Relaxed))
    }

    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        self.recorder.map_or(Ok(()), |recorder| recorder.on_group(done))?;
        self.failures.on_group(done)?;
        self.violations.on_group(done)?;
        self.results.map_or(Ok(()), |results| results.on_group(done))?;
        self.progress.on_group(done)
    }
}

/// The relations and names of all pairs of a list.
fn names<S>(pairs: PairList<S>) -> anyhow::Result<BTreeSet<(String, String)>> {
    let mut names = BTreeSet::new();
    for spec in pairs.specs {
        let spec = spec?;
        names.insert((spec.relation, spec.pair));
    }
    Ok(names)
}

/// The number of workers: as requested, or the number of processors.
fn workers(jobs: Option<NonZero<usize>>) -> NonZero<usize> {
    let processors = || std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    jobs.unwrap_or_else(processors)
}
