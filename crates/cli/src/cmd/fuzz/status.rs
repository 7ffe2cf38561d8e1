//! Shows the status of a running campaign: a few lines that are updated in place on a terminal, and
//! a line at intervals elsewhere.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use metacov_campaign::{CampaignDisplay, CampaignStatus, Finding};
use metacov_report::campaign_status;

use crate::console::Console;

/// How often the lines on a terminal are updated, and how often a line is printed elsewhere.
const GLANCE: Duration = Duration::from_millis(200);
const LINE_EVERY: Duration = Duration::from_secs(10);

pub struct Status<'t> {
    console: &'t Console,
    bar: ProgressBar,
    is_terminal: bool,
    last: Mutex<Option<Instant>>,
    title: String,
}

impl<'t> Status<'t> {
    pub fn new(console: &'t Console, title: String) -> Self {
        let is_terminal = stderr().is_terminal() && !console.is_quiet();
        let bar = if is_terminal { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Status { console, bar, is_terminal, last: Mutex::default(), title }
    }
}

impl CampaignDisplay for Status<'_> {
    fn begin(&self) {
        if self.is_terminal {
            self.bar.enable_steady_tick(GLANCE);
        }
    }

    /// Shows the status, unless it was shown recently.
    #[expect(
        clippy::disallowed_methods,
        reason = "when to show something is a matter of the clock"
    )]
    fn show(&self, status: &CampaignStatus<'_>) {
        let every = if self.is_terminal { GLANCE } else { LINE_EVERY };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|last| last.elapsed() >= every);
        // The first line elsewhere is printed only once there is something to report.
        if !is_due || (!self.is_terminal && last.is_none() && status.elapsed < LINE_EVERY) {
            return;
        }
        *last = Some(Instant::now());
        if self.is_terminal {
            self.bar.set_message(format!(
                "{}\n  {}",
                self.title,
                campaign_status(status).join("\n  ")
            ));
        } else {
            self.console.note(&campaign_status(status).join("; "));
        }
    }

    fn found(&self, finding: &Finding) {
        let Finding { suspect, signature, .. } = finding;
        let (group, bytes) = (finding.group(), suspect.case.size().bytes);
        let words =
            format!("found: {group} ({}), {bytes} bytes: {signature}", suspect.case.relation);
        self.bar.suspend(|| self.console.note(&words));
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
