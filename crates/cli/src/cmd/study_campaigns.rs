//! `metacov study run` of campaigns: the trials of a study, several at once, each a process of its own.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{anyhow, bail};
use clap::Parser;
use metacov_report::{Column, Table, thousands};
use metacov_study::{CampaignPlan, Trial};

use super::fuzz_progress::Progress;
use super::interrupts::{Interrupts, interrupts};
use super::study_part::Selection;
use super::study_trial::TrialRun;
use super::study_trials::Trials;
use super::{fuzz, fuzz_stage, target, workers};
use crate::exit_code::ExitCode;
use crate::talk::Console;

/// How often it is said how the trials are doing.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// A trial is what `metacov fuzz` does with these words.
#[derive(Parser)]
struct Words {
    #[command(flatten)]
    fuzz: fuzz::Args,
}

/// A trial with its place in the study.
pub struct Planned {
    /// From one.
    pub number: usize,
    pub id: String,
    pub trial: Trial,
    pub build: String,
}

/// All trials of a study, which are checked. Engines that are not there are built.
pub fn planned(plan: &CampaignPlan, file: &Path, talk: &Console) -> anyhow::Result<Vec<Planned>> {
    let mut builds: BTreeMap<String, String> = BTreeMap::new();
    let mut all = Vec::new();
    for (number, trial) in (1..).zip(plan.trials()) {
        let words = ["fuzz".to_owned()].into_iter().chain(trial.words());
        let words = Words::try_parse_from(words.chain(trial.budget.words()));
        let words = words.map_err(|error| {
            let message = error.to_string();
            let message = message.lines().next().unwrap_or_default();
            anyhow!("{}: {}", file.display(), message.trim_start_matches("error: "))
        })?;
        words.fuzz.check().map_err(|error| anyhow!("{}: {error}", file.display()))?;
        if !builds.contains_key(&trial.engine) {
            target::engine_on_demand(&trial.engine, talk)?;
            builds.insert(trial.engine.clone(), fuzz_stage::build(&trial.engine, None)?);
        }
        let build = builds[&trial.engine].clone();
        all.push(Planned { number, id: trial.id(&build), trial, build });
    }
    Ok(all)
}

/// The trials of a study as a table.
pub fn table(planned: &[Planned]) -> Table {
    let columns = vec![
        Column::number("number"),
        Column::word("trial"),
        Column::word("engine"),
        Column::word("relations"),
        Column::word("guidance"),
        Column::number("seed"),
        Column::word("budget"),
    ];
    let row = |of: &Planned| {
        let Trial { engine, relations, guidance, seed, budget, .. } = &of.trial;
        let (number, seed, budget) = (of.number.to_string(), seed.to_string(), budget.to_string());
        let words = [engine, relations, guidance].map(Clone::clone);
        [number, of.id.clone()].into_iter().chain(words).chain([seed, budget]).collect()
    };
    Table { columns, rows: planned.iter().map(row).collect() }
}

/// Trials to run.
pub struct Campaigns<'c> {
    pub folder: Trials<'c>,
    pub observe: bool,
    pub jobs: Option<NonZero<usize>>,
    pub selection: &'c Selection,
}

/// What all threads share.
struct Room<'r> {
    campaigns: &'r Campaigns<'r>,
    interrupted: &'r AtomicBool,
    all: usize,
    state: Mutex<State<'r>>,
    changed: Condvar,
    talk: &'r Console,
}

#[derive(Default)]
struct State<'s> {
    waiting: VecDeque<&'s Planned>,
    running: BTreeMap<usize, &'s Planned>,
    done: usize,
    /// What went wrong, by trial.
    failed: BTreeMap<String, String>,
}

impl Campaigns<'_> {
    /// Runs what is not there yet.
    pub fn run(&self, planned: &[Planned], talk: &Console) -> anyhow::Result<ExitCode> {
        let Interrupts { interrupted, signal } = interrupts()?;
        self.folder.begin()?;
        let chosen = self.selection.choose(planned)?;
        let mut state = State::default();
        for one in &chosen {
            match self.folder.outcome(&one.id)? {
                Some(_) => state.done += 1,
                None => state.waiting.push_back(one),
            }
        }
        if state.done > 0 {
            talk.note(&format!("{} of {} trials are there already", state.done, chosen.len()));
        }
        let (all, state, changed) = (chosen.len(), Mutex::new(state), Condvar::new());
        let room = Room { campaigns: self, interrupted: &interrupted, all, state, changed, talk };
        thread::scope(|scope| {
            for _ in 0..workers(self.jobs).get() {
                scope.spawn(|| room.work());
            }
            room.watch();
        });
        let state = room.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((id, what)) = state.failed.first_key_value() {
            let count = state.failed.len();
            let others =
                if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
            bail!("trial {id} failed{others}: {what}");
        }
        if interrupted.load(Relaxed) {
            talk.warning("interrupted; run it again to go on");
            return Ok(ExitCode::of_signal(&signal));
        }
        Ok(ExitCode::Success)
    }
}

impl<'r> Room<'r> {
    fn state(&self) -> MutexGuard<'_, State<'r>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs trials until there are none.
    fn work(&self) {
        while let Some(one) = self.next() {
            let ended = self.trial(one);
            let mut state = self.state();
            state.running.remove(&one.number);
            match ended {
                Ok(true) => state.done += 1,
                Ok(false) => {}
                Err(error) => {
                    self.talk.failure(&format!("trial {} ({}): {error}", one.id, one.trial));
                    state.failed.insert(one.id.clone(), error.to_string());
                }
            }
            self.changed.notify_all();
        }
    }

    fn next(&self) -> Option<&'r Planned> {
        let mut state = self.state();
        if self.interrupted.load(Relaxed) {
            state.waiting.clear();
        }
        let one = state.waiting.pop_front();
        match one {
            Some(one) => drop(state.running.insert(one.number, one)),
            None => self.changed.notify_all(),
        }
        one
    }

    /// Whether a trial is over now.
    fn trial(&self, one: &Planned) -> anyhow::Result<bool> {
        let (folder, observe) = (self.campaigns.folder, self.campaigns.observe);
        let Planned { id, trial, build, .. } = one;
        let run = TrialRun { folder, trial, id, build, observe, interrupted: self.interrupted };
        let Some(outcome) = run.run()? else { return Ok(false) };
        folder.keep(&outcome)?;
        self.talk.note(&format!(
            "trial {} of {}: {id} ({trial}): {} in {} pairs, {:.0} s of processor time",
            self.state().done + 1,
            self.all,
            bugs(outcome.bugs().len() as u64),
            thousands(outcome.pairs),
            outcome.time.processor
        ));
        Ok(true)
    }

    /// Says now and then how the trials are doing, until they are over.
    fn watch(&self) {
        let mut state = self.state();
        while !(state.waiting.is_empty() && state.running.is_empty()) {
            let (again, timeout) = self
                .changed
                .wait_timeout(state, LINE_EVERY)
                .unwrap_or_else(PoisonError::into_inner);
            state = again;
            if timeout.timed_out() {
                self.tell(&state);
            }
        }
    }

    fn tell(&self, state: &State<'_>) {
        let one = |one: &&Planned| {
            let path = self.campaigns.folder.progress(&one.id);
            // A line that is only for the eye is no place to fail.
            let Progress { pairs, bugs: found, .. } = Progress::read(&path).unwrap_or_default();
            format!("{} ({}): {} in {} pairs", one.id, one.trial, bugs(found), thousands(pairs))
        };
        let running: Vec<String> = state.running.values().map(one).collect();
        self.talk.note(&format!("{} of {} done; {}", state.done, self.all, running.join("; ")));
    }
}

fn bugs(count: u64) -> String {
    if count == 1 { "1 bug".to_owned() } else { format!("{} bugs", thousands(count)) }
}
