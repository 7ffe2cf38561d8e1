//! Progress bars.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::Console;

/// What a bar of pairs shows.
pub const PAIRS: &str = "{bar:32} {human_pos}/{human_len} pairs, {rate}{msg}, {eta} left";

/// What a bar of source files that are compiled shows.
pub const FILES: &str = "{bar:32} {human_pos}/{human_len} files compiled, {eta} left";

/// A bar that appears with the first report, and is removed in the end.
pub struct Bar<'c> {
    console: &'c Console,
    template: &'static str,
    shown: OnceLock<ProgressBar>,
}

impl Bar<'_> {
    /// Shows how much is done, and of how much.
    pub fn set(&self, done: usize, all: usize) {
        let bar = self.shown.get_or_init(|| self.console.progress(all as u64, self.template));
        bar.set_position(done as u64);
    }
}

impl Drop for Bar<'_> {
    fn drop(&mut self) {
        if let Some(bar) = self.shown.get() {
            bar.finish_and_clear();
        }
    }
}

impl Console {
    /// Returns a bar whose length is not known yet.
    pub fn bar(&self, template: &'static str) -> Bar<'_> {
        Bar { console: self, template, shown: OnceLock::new() }
    }

    /// Returns a bar that counts to `length`. It is drawn only on a terminal, and not for a single
    /// pair.
    pub fn progress(&self, length: u64, template: &str) -> ProgressBar {
        if self.quiet || length < 2 {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(length);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key(
                "rate",
                |state: &ProgressState, out: &mut dyn fmt::Write| {
                    let _ = write!(out, "{:.0}/s", state.per_sec());
                },
            ));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }
}
