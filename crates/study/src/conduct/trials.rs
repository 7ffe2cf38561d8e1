//! The trials of a study: listing them, and running several of them at once.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use metacov_campaign::TrialProgress;
use metacov_core::{counted, thousands};
use metacov_run::{RunError, run_jobs};

use super::trial::TrialRun;
use super::{Message, Selection, TrialFolder, TrialProgram};
use crate::{CampaignPlan, Trial, TrialOutcome};

/// The progress of running trials is reported if none has ended for this long.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);

/// A trial with its number in the study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTrial {
    /// The number, from one.
    pub number: usize,
    /// The id.
    pub id: String,
    /// The trial.
    pub trial: Trial,
    /// The build of the engine.
    pub build: String,
}

/// Lists all trials of a study. Each is passed to `check`; `build` returns the build of an engine
/// and is called once for each.
pub fn plan_trials<E>(
    plan: &CampaignPlan,
    mut check: impl FnMut(&Trial) -> Result<(), E>,
    mut build: impl FnMut(&str) -> Result<String, E>,
) -> Result<Vec<PlannedTrial>, E> {
    let mut builds: BTreeMap<String, String> = BTreeMap::new();
    let mut planned = Vec::new();
    for (number, trial) in (1..).zip(plan.trials()) {
        check(&trial)?;
        let build = match builds.get(&trial.engine) {
            Some(build) => build.clone(),
            None => build(&trial.engine)?,
        };
        builds.insert(trial.engine.clone(), build.clone());
        planned.push(PlannedTrial { number, id: trial.id(&build), trial, build });
    }
    Ok(planned)
}

/// Trials to run.
pub struct TrialsRun<'r> {
    /// The folder of the study.
    pub folder: TrialFolder<'r>,
    /// Whether trials are repeated to observe what their pairs run.
    pub observe: bool,
    /// How many run at once.
    pub workers: NonZero<usize>,
    /// Which trials to run.
    pub selection: &'r Selection,
    /// Runs the campaigns.
    pub program: &'r TrialProgram<'r>,
    /// The command line, for run files.
    pub command: &'r str,
    /// Set to start no more trials and to end those that run.
    pub interrupted: &'r AtomicBool,
}

/// The progress of trials.
pub enum TrialEvent<'e> {
    /// Some trials have results from an earlier run.
    Known {
        /// How many.
        done: usize,
        /// How many trials are selected.
        all: usize,
    },
    /// A trial is complete.
    Done {
        /// How many are complete, including this one.
        done: usize,
        /// How many trials are selected.
        all: usize,
        /// The result.
        outcome: &'e TrialOutcome,
    },
    /// A trial failed; the others continue.
    Failed {
        /// The trial.
        planned: &'e PlannedTrial,
        /// The reason.
        error: &'e RunError,
    },
    /// No trial has ended for a minute.
    Running {
        /// How many are complete.
        done: usize,
        /// How many trials are selected.
        all: usize,
        /// The running trials.
        running: Vec<(&'e PlannedTrial, TrialProgress)>,
    },
}

impl TrialEvent<'_> {
    /// The event in words.
    pub fn message(&self) -> Message {
        match self {
            TrialEvent::Known { done, all } => {
                let all = counted(*all as u64, "trial", "trials");
                Message::Note(format!("continuing: {done} of {all} done"))
            }
            TrialEvent::Done { done, all, outcome } => Message::Note(format!(
                "trial {done} of {all}: {} ({}): {} in {} pairs, {:.0} s of processor time",
                outcome.id,
                outcome.trial,
                counted(outcome.bugs().len() as u64, "bug", "bugs"),
                thousands(outcome.pairs),
                outcome.time.processor
            )),
            TrialEvent::Failed { planned, error } => {
                Message::Failure(format!("trial {} ({}): {error}", planned.id, planned.trial))
            }
            TrialEvent::Running { done, all, running } => {
                let running = running.iter().map(|(one, progress)| {
                    let bugs = counted(progress.bugs, "bug", "bugs");
                    let pairs = thousands(progress.pairs);
                    format!("{} ({}): {bugs} in {pairs} pairs", one.id, one.trial)
                });
                let running: Vec<String> = running.collect();
                Message::Note(format!("{done} of {all} done; {}", running.join("; ")))
            }
        }
    }
}

/// What all threads share.
struct Shared<'s> {
    run: &'s TrialsRun<'s>,
    on_event: &'s (dyn Fn(TrialEvent<'_>) + Sync),
    all: usize,
    state: Mutex<State<'s>>,
}

#[derive(Default)]
struct State<'s> {
    waiting: VecDeque<&'s PlannedTrial>,
    running: BTreeMap<usize, &'s PlannedTrial>,
    done: usize,
    failed: BTreeMap<String, String>,
}

impl TrialsRun<'_> {
    /// Runs the selected trials that have no result yet. Returns the errors, by the id of the
    /// trial.
    pub fn run(
        &self,
        planned: &[PlannedTrial],
        on_event: &(dyn Fn(TrialEvent<'_>) + Sync),
    ) -> Result<BTreeMap<String, String>, RunError> {
        self.folder.create()?;
        let selected = self.selection.choose(planned)?;
        let all = selected.len();
        let mut state = State::default();
        for one in selected {
            match self.folder.outcome(&one.id)? {
                Some(_) => state.done += 1,
                None => state.waiting.push_back(one),
            }
        }
        if state.done > 0 {
            on_event(TrialEvent::Known { done: state.done, all });
        }
        let shared = Shared { run: self, on_event, all, state: Mutex::new(state) };
        thread::scope(|scope| {
            let (ended, on_ended) = channel();
            let reporter = &shared;
            scope.spawn(move || reporter.report_until_over(on_ended));
            run_jobs(
                self.workers.get(),
                |_| shared.next(),
                |jobs| {
                    jobs.run(|_, one| {
                        shared.trial(one);
                        // The receiver outlives all workers.
                        let _ = ended.send(());
                        Ok::<_, RunError>(())
                    });
                },
            )
        })?;
        Ok(shared.state.into_inner().unwrap_or_else(PoisonError::into_inner).failed)
    }
}

impl<'s> Shared<'s> {
    fn state(&self) -> MutexGuard<'_, State<'s>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next trial, with its number.
    fn next(&self) -> Option<(u64, &'s PlannedTrial)> {
        let mut state = self.state();
        if self.run.interrupted.load(Relaxed) {
            state.waiting.clear();
        }
        let one = state.waiting.pop_front()?;
        state.running.insert(one.number, one);
        Some((one.number as u64, one))
    }

    /// Runs a trial and stores its result. A trial that fails does not end the others.
    fn trial(&self, planned: &PlannedTrial) {
        let TrialsRun { folder, observe, program, command, interrupted, .. } = *self.run;
        let run = TrialRun { folder, planned, observe, program, command, interrupted };
        let outcome = run.run();
        let outcome = outcome.and_then(|outcome| match outcome {
            Some(outcome) => folder.keep(&outcome).map(|()| Some(outcome)),
            None => Ok(None),
        });
        let mut state = self.state();
        state.running.remove(&planned.number);
        match outcome {
            Ok(Some(outcome)) => {
                state.done += 1;
                let (done, all) = (state.done, self.all);
                (self.on_event)(TrialEvent::Done { done, all, outcome: &outcome });
            }
            Ok(None) => {}
            Err(error) => {
                (self.on_event)(TrialEvent::Failed { planned, error: &error });
                state.failed.insert(planned.id.clone(), error.to_string());
            }
        }
    }

    /// Reports the trials that run whenever none has ended for a while. Returns when the sender is
    /// gone.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a receiver cannot be shared with its thread"
    )]
    fn report_until_over(&self, on_ended: Receiver<()>) {
        loop {
            match on_ended.recv_timeout(REPORT_INTERVAL) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => self.report(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn report(&self) {
        let (done, running) = {
            let state = self.state();
            (state.done, state.running.values().copied().collect::<Vec<_>>())
        };
        // A progress file that cannot be read is not worth an error here.
        let progress = |one: &PlannedTrial| {
            TrialProgress::read(&self.run.folder.progress(&one.id)).unwrap_or_default()
        };
        let running = running.into_iter().map(|one| (one, progress(one))).collect();
        (self.on_event)(TrialEvent::Running { done, all: self.all, running });
    }
}
