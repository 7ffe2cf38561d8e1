//! One file for each subcommand, and what they share.

pub mod cc;
mod changes;
mod check_sql;
pub mod compare;
mod compared_runs;
pub mod completions;
pub mod diff;
pub mod fuzz;
mod fuzz_clerk;
mod fuzz_progress;
mod fuzz_report;
mod fuzz_stage;
mod fuzz_status;
pub mod generate;
pub mod inner;
mod interrupts;
pub mod locate;
mod locate_corpus;
mod locate_run;
pub mod man;
pub mod measure;
pub mod measure_sql;
pub mod merge;
mod output_args;
pub mod overlap;
mod pages;
mod present;
pub mod replay;
pub mod report;
mod run_file;
mod scene;
mod scope_args;
mod stopwatch;
pub mod study;
mod study_bugs;
mod study_campaigns;
mod study_folder;
mod study_part;
mod study_pipeline;
mod study_report;
mod study_run;
mod study_trial;
mod study_trials;
pub mod target;
mod target_args;

use std::io::ErrorKind;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::bail;
use metacov_core::{Criterion, Suite};
use metacov_formats::{Audience, Done, Error, Fault, Halt, Numbering, Options, Plan, Side, fold};
use metacov_store::{Recorder, Run};

use crate::exit_code::{ExitCode, Unwritten};
use crate::failures::Failures;
use crate::progress::Progress;
use crate::talk::Talk;
use crate::violations::{self, Violations};
use output_args::Presentation;
use present::Origin;
use run_file::RunFile;

/// What is meant: a suite to fold, and what to show of it.
pub struct Config<S> {
    plan: Plan<S>,
    frame: Frame,
}

/// What goes with a suite, wherever it comes from.
pub struct Frame {
    options: Options,
    presentation: Presentation,
    run_file: Option<RunFile>,
    leave_out_flaky: bool,
    /// Whether it is of interest how fast it went.
    timed: bool,
}

/// Folds a suite and shows it.
pub fn run<S: Side>(config: Config<S>, talk: &Talk) -> anyhow::Result<ExitCode> {
    let Config { plan, mut frame } = config;
    // There are as many blocks as all other sites together: they are read only for those who ask.
    frame.options.scope.blocks = frame.presentation.asks_for(Criterion::Block);
    let (planned, options) = (plan.groups, frame.options.clone());
    frame.run(planned, talk, |numbering, audience| fold(plan, &options, numbering, audience))
}

impl Frame {
    /// Shows what `fold` makes of groups: as it is in the run file, if there is one.
    fn run(
        self,
        planned: u64,
        talk: &Talk,
        fold: impl FnOnce(Numbering, &dyn Audience) -> Result<Suite, Halt>,
    ) -> anyhow::Result<ExitCode> {
        let Frame { options, presentation, run_file, leave_out_flaky, timed } = self;
        if presentation.plot().is_some() && run_file.is_none() {
            bail!("curves are drawn from a run file: add -o RUN.metacov");
        }
        let mut recorder =
            run_file.as_ref().map(|file| file.open(&options, planned)).transpose()?;
        let known = recorder.as_ref().map_or(0, Recorder::known);
        if known > 0 {
            talk.note(&format!("{known} of {planned} pairs are there already"));
        }
        let numbering = recorder.as_mut().map(Recorder::numbering).unwrap_or_default();
        let progress = Progress::new(talk, planned, known, options.operation);
        let failures = Failures::new(talk);
        let violations = Violations::default();
        let interrupted = run_file.as_ref().map(|file| &*file.interrupted);
        let room = Room {
            recorder: recorder.as_ref(),
            progress: &progress,
            failures: &failures,
            violations: &violations,
            interrupted,
        };
        let folded = fold(numbering, &room);
        progress.finish(timed);
        failures.finish();
        let measured = folded.as_ref().map_or(0, |suite| known + suite.total().all_groups());
        if let Some(recorder) = recorder {
            let table = folded.as_ref().ok().map(|suite| &suite.table);
            let finished = recorder.finish(measured == planned, table).map_err(Unwritten);
            // What ended the fold is the cause of what came after.
            folded.is_ok().then_some(finished).transpose()?;
        }
        let mut suite = folded.map_err(|halt| match halt {
            Halt::Input(error) => anyhow::Error::from(error),
            Halt::Audience(error) => Unwritten(error).into(),
        })?;
        let mut violations = violations.into_inner();
        if let Some(file) = &run_file {
            let run = Run::open(&file.path)?;
            violations = run.violations()?;
            suite = run.suite()?.0;
        }
        if measured < planned {
            talk.warning(&format!("interrupted: the numbers are of {measured} of {planned} pairs"));
        }
        let code = if measured > 0 {
            if leave_out_flaky {
                self::leave_out_flaky(&mut suite);
            }
            let run = run_file.as_ref().map(|file| &*file.path);
            let origin = Origin { root: &options.scope.root, run, since: None };
            present::present(&suite, &presentation, &origin, talk)?
        } else {
            ExitCode::Success
        };
        let code = violations::tell(&violations, code, talk);
        Ok(if measured < planned { ExitCode::Interrupted } else { code })
    }
}

/// Leaves out what ran in some repetitions of an execution and not in others.
fn leave_out_flaky(suite: &mut Suite) {
    for site in suite.total().flaky.iter() {
        suite.table.exclude(site);
    }
}

/// All who are told of groups as they are done.
struct Room<'r> {
    recorder: Option<&'r Recorder>,
    progress: &'r Progress<'r>,
    failures: &'r Failures<'r>,
    violations: &'r Violations,
    /// Whether no group is to be begun any more.
    interrupted: Option<&'r AtomicBool>,
}

impl Audience for Room<'_> {
    fn knows(&self, place: u64, relation: &str, pair: &str) -> Result<bool, Error> {
        if self.interrupted.is_some_and(|interrupted| interrupted.load(Relaxed)) {
            return Err(Fault::Io(ErrorKind::Interrupted.into()).of(pair));
        }
        self.recorder.map_or(Ok(false), |recorder| recorder.knows(place, relation, pair))
    }

    fn hear(&self, done: &Done<'_>) -> Result<(), Error> {
        self.recorder.map_or(Ok(()), |recorder| recorder.hear(done))?;
        self.failures.hear(done)?;
        self.violations.hear(done)?;
        self.progress.hear(done)
    }
}

/// How many workers: as many as asked for, or as there are processors.
fn workers(jobs: Option<NonZero<usize>>) -> NonZero<usize> {
    let processors = || std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    jobs.unwrap_or_else(processors)
}
