//! The progress of a fold.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use metacov_core::Operation;
use metacov_formats::Error;
use metacov_report::{FoldProgress, failed_side};
use metacov_run::{GroupDone, Observer};

use crate::console::Console;
use crate::console::bar::PAIRS;

/// How often a line is printed if no bar can be drawn.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The progress of a fold: a bar on a terminal, a line at intervals elsewhere.
pub struct Progress<'t> {
    console: &'t Console,
    bar: ProgressBar,
    shown: Shown,
    start: Instant,
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
    progress: FoldProgress,
    last_line: Instant,
}

impl<'t> Progress<'t> {
    #[expect(clippy::disallowed_methods, reason = "the speed is reported, and part of no result")]
    pub fn new(console: &'t Console, planned: u64, known: u64, operation: Operation) -> Self {
        let start = Instant::now();
        let progress = FoldProgress::new(planned, known, operation);
        let state = Mutex::new(State { progress, last_line: start });
        let bar = console.progress(planned, PAIRS);
        bar.set_position(known);
        bar.reset_eta();
        let shown = match (bar.is_hidden(), console.is_quiet() || stderr().is_terminal()) {
            (false, _) => Shown::AsBar,
            (true, false) => Shown::AsLines,
            (true, true) => Shown::NotAtAll,
        };
        Progress { console, bar, shown, start, state }
    }

    /// Removes the bar, and reports the speed if requested.
    pub fn finish(&self, timed: bool) {
        self.bar.finish_and_clear();
        let progress = &self.state.lock().unwrap_or_else(PoisonError::into_inner).progress;
        if timed && progress.groups > 1 {
            self.console.note(&progress.speed(self.start.elapsed()));
        }
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
        let State { progress, last_line } = &mut *state;
        progress.groups += 1;
        if self.shown == Shown::NotAtAll {
            return Ok(());
        }
        if let Ok(group) = done.outcome {
            progress.add(group, done.table);
        }
        if self.shown == Shown::AsBar {
            let message = progress.mc_so_far();
            drop(state);
            self.bar.set_message(message);
            self.bar.inc(1);
        } else if last_line.elapsed() >= LINE_EVERY {
            *last_line = Instant::now();
            self.console.note(&progress.line(self.start.elapsed()));
        }
        Ok(())
    }
}
