//! The progress of a fold.

use std::fmt::Write as _;
use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use metacov_core::{Cover, Criterion, Group, Operation, Reading, counted};
use metacov_formats::Error;
use metacov_report::failed_side;
use metacov_run::{GroupDone, Observer, SharedTable};

use crate::console::Console;
use crate::console::bar::PAIRS;

/// How often a line is printed if no bar can be drawn.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The progress of a fold: a bar on a terminal, a line at intervals elsewhere.
pub struct Progress<'t> {
    console: &'t Console,
    planned: u64,
    /// How many groups were stored before.
    known: u64,
    bar: ProgressBar,
    shown: Shown,
    start: Instant,
    operation: Operation,
    state: Mutex<State>,
}

/// How it is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    AsBar,
    AsLines,
    NotAtAll,
}

struct State {
    groups: u64,
    /// The sites in the difference of some group so far, and how many lines they are.
    mc_sites: Option<Cover>,
    lines: u64,
    last_line: Instant,
}

impl<'t> Progress<'t> {
    #[expect(clippy::disallowed_methods, reason = "the speed is reported, and part of no result")]
    pub fn new(console: &'t Console, planned: u64, known: u64, operation: Operation) -> Self {
        let start = Instant::now();
        let state = State { groups: 0, mc_sites: None, lines: 0, last_line: start };
        let bar = console.progress(planned, PAIRS);
        bar.set_position(known);
        bar.reset_eta();
        let shown = match (bar.is_hidden(), console.is_quiet() || stderr().is_terminal()) {
            (false, _) => Shown::AsBar,
            (true, false) => Shown::AsLines,
            (true, true) => Shown::NotAtAll,
        };
        let state = Mutex::new(state);
        Progress { console, planned, known, bar, shown, start, operation, state }
    }

    /// Removes the bar, and reports the speed if requested.
    pub fn finish(&self, timed: bool) {
        self.bar.finish_and_clear();
        let groups = self.state.lock().unwrap_or_else(PoisonError::into_inner).groups;
        if timed && groups > 1 {
            let seconds = self.start.elapsed().as_secs_f64();
            let rate = self.rate(groups);
            let digits = usize::from(rate < 10.0);
            self.console
                .note(&format!("{groups} pairs in {seconds:.1} s, {rate:.digits$} pairs/s"));
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a speed is no exact number")]
    fn rate(&self, groups: u64) -> f64 {
        groups as f64 / self.start.elapsed().as_secs_f64().max(0.001)
    }

    /// How many sites are in the difference so far. Groups that were stored before are not counted.
    fn mc_so_far(&self, lines: u64) -> String {
        let of = if self.known == 0 { "so far" } else { "of the new pairs so far" };
        format!("{} {of}", counted(lines, "MC line", "MC lines"))
    }

    #[expect(clippy::cast_precision_loss, reason = "a time that is left is no exact number")]
    fn line(&self, groups: u64, lines: u64) -> String {
        let (done, rate) = (self.known + groups, self.rate(groups));
        let left = self.planned.saturating_sub(done) as f64 / rate;
        let mut line = format!("{done} of {} pairs, {rate:.0} pairs/s", self.planned);
        if self.operation == Operation::Xor {
            let _ = write!(line, ", {}", self.mc_so_far(lines));
        }
        let _ = write!(line, ", {left:.0} s left");
        line
    }
}

impl Observer for Progress<'_> {
    #[expect(clippy::disallowed_methods, reason = "the speed is reported, and part of no result")]
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        if let Err((side, missing)) = done.outcome {
            let what = || failed_side(done.relation, done.pair, side, missing);
            self.console.detail(|| format!("{}: {}", missing.failure.name(), what()));
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.groups += 1;
        if self.shown == Shown::NotAtAll {
            return Ok(());
        }
        if let (Ok(group), Operation::Xor) = (done.outcome, self.operation) {
            state.add(group, done.table);
        }
        if self.shown == Shown::AsBar {
            let lines = state.lines;
            drop(state);
            if self.operation == Operation::Xor {
                self.bar.set_message(format!(", {}", self.mc_so_far(lines)));
            }
            self.bar.inc(1);
        } else if state.last_line.elapsed() >= LINE_EVERY {
            state.last_line = Instant::now();
            self.console.note(&self.line(state.groups, state.lines));
        }
        Ok(())
    }
}

impl State {
    /// Adds the difference of a group.
    fn add(&mut self, group: &Group<Reading>, table: &SharedTable) {
        let mut difference = group.difference();
        if let Some(mc_sites) = &self.mc_sites {
            difference -= mc_sites;
        }
        if difference.is_empty() {
            return;
        }
        let table = table.table();
        let is_line =
            |site| table.get(site).criterion() == Criterion::Line && !table.is_excluded(site);
        self.lines += difference.iter().filter(|site| is_line(*site)).count() as u64;
        match &mut self.mc_sites {
            Some(mc_sites) => *mc_sites |= &difference,
            None => self.mc_sites = Some(difference),
        }
    }
}
