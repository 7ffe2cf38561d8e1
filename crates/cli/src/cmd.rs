//! One file for each subcommand, and what they share.

pub mod cc;
pub mod check;
pub mod check_rules;
pub mod compare;
pub mod completions;
pub mod diff;
pub mod fuzz;
pub mod generate;
pub mod inner;
pub mod locate;
pub mod man;
pub mod measure;
pub mod merge;
pub mod mutants;
pub mod overlap;
pub mod pair;
pub mod replay;
pub mod report;
pub mod seeds;
pub mod study;
pub mod target;

use std::num::NonZero;

use metacov_core::{Suite, counted};
use metacov_report::{
    Conclusion, Origin, PairOrigin, Presentation, Screen, failure_notes, left_out_note,
    show_violations,
};
use metacov_run::{FoldOptions, Observer, RunError, SharedTable};
use metacov_store::{Provenance, RecordedRun, Recording, RunFile};
use metacov_study::conduct::RunContext;

use crate::console::Console;
use crate::console::progress::Progress;
use crate::exit_code::{ExitCode, Outcome, bail_usage};
use crate::signals::interrupted;

/// How a suite is stored and shown, whatever its source.
pub struct RunSettings {
    presentation: Presentation,
    run_file: Option<RunFile>,
    leave_out_flaky: bool,
    /// Whether the speed is shown.
    timed: bool,
    origin: PairOrigin,
}

impl RunSettings {
    /// Folds `planned` groups with `fold` and shows the result: that of the run file, if there is one.
    fn run(
        self,
        options: &FoldOptions,
        planned: u64,
        provenance: Provenance,
        console: &Console,
        fold: impl FnOnce(SharedTable, &dyn Observer) -> Result<Suite, RunError>,
    ) -> Outcome {
        let RunSettings { presentation, run_file, leave_out_flaky, timed, origin } = self;
        if presentation.plot().is_some() && run_file.is_none() {
            bail_usage!("a plot (.svg) needs a run file: add -o RUN.metacov");
        }
        let (file, keeps_results) = (run_file.as_ref(), presentation.needs_pairs());
        let mut recording = Recording::start(file, options, planned, provenance, keeps_results)?;
        let (known, all) = (recording.known(), counted(planned, "pair", "pairs"));
        if known > 0 {
            console.note(&format!("continuing: {known} of {all} done"));
        }
        let progress = Progress::new(console, planned, known, options.operation);
        let folded = recording.fold(&progress, fold);
        progress.finish(timed);
        let (collected, recorded) = recording.finish(folded);
        for note in failure_notes(collected.failures) {
            console.note(&note);
        }
        let RecordedRun { mut suite, violations, pairs, provenance, measured } = recorded?;
        if let Some(note) = left_out_note(provenance.left_out.values().sum()) {
            console.note(&note);
        }
        if measured < planned {
            console.warning(&format!("interrupted: the numbers are of {measured} of {all}"));
        }
        let mut conclusion = Conclusion::Passed;
        if measured > 0 {
            if leave_out_flaky {
                suite.leave_out_flaky();
            }
            let origin = Origin {
                root: &options.scope.root,
                run: file.map(|file| &*file.path),
                since: None,
                provenance: &provenance.rows(),
                violations: &violations,
                pairs: &pairs,
            };
            conclusion = presentation.show(&suite, &origin, console)?;
        }
        let conclusion = conclusion.max(show_violations(&violations, origin, console));
        Ok(if measured < planned { ExitCode::Interrupted } else { conclusion.into() })
    }
}

/// Calls `run` with what running targets needs.
fn with_context<T>(
    jobs: Option<NonZero<usize>>,
    console: &Console,
    run: impl FnOnce(&RunContext<'_>) -> Result<T, RunError>,
) -> Result<T, RunError> {
    run(&RunContext {
        targets: &target::list(),
        workers: workers(jobs),
        interrupted: &*interrupted()?,
        on_message: &|message| console.message(message),
    })
}

/// The number of workers: as requested, or the number of processors.
pub fn workers(jobs: Option<NonZero<usize>>) -> NonZero<usize> {
    let processors = || std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    jobs.unwrap_or_else(processors)
}
