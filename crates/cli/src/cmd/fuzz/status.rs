//! How a campaign is doing, at a glance: some lines that stay in place on a terminal, a line now and then elsewhere.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use metacov_campaign::{CampaignDisplay, CampaignStats, CampaignStatus, Finding};
use metacov_report::{sparkline, thousands};

use crate::console::Console;

/// How often the lines of a terminal change, and how often a line is said elsewhere.
const GLANCE: Duration = Duration::from_millis(200);
const LINE_EVERY: Duration = Duration::from_secs(10);

/// How many columns a curve has.
const CURVE: usize = 16;

/// Shows how a campaign is doing.
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

    /// Shows it, unless it was shown a moment ago.
    #[expect(
        clippy::disallowed_methods,
        reason = "when to show something is a matter of the clock"
    )]
    fn show(&self, status: &CampaignStatus<'_>) {
        let every = if self.is_terminal { GLANCE } else { LINE_EVERY };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|last| last.elapsed() >= every);
        // The first line elsewhere says something.
        if !is_due || (!self.is_terminal && last.is_none() && status.elapsed < LINE_EVERY) {
            return;
        }
        *last = Some(Instant::now());
        if self.is_terminal {
            self.bar.set_message(format!("{}\n  {}", self.title, lines(status).join("\n  ")));
        } else {
            self.console.note(&lines(status).join("; "));
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

/// Three lines, none of them longer than a narrow terminal.
fn lines(status: &CampaignStatus<'_>) -> [String; 3] {
    let CampaignStatus { history, tested, elapsed, since_news } = status;
    let CampaignStats { differing, executed, plans, bugs, .. } = history.stand();
    #[expect(clippy::cast_precision_loss, reason = "a speed is no exact number")]
    let rate = *tested as f64 / elapsed.as_secs_f64().max(0.001);
    let violated: u64 = history.summary.relations.values().map(|counts| counts.violated).sum();
    let curve: Vec<u64> = history.curve.iter().map(|stand| stand.differing).collect();
    let pairs = format!(
        "{} pairs in {}, {rate:.0}/s; {} databases, {} changes",
        thousands(*tested),
        time(*elapsed),
        thousands(history.curve.len() as u64),
        thousands(history.summary.changes),
    );
    let mut seen = vec![format!("news {} ago", time(*since_news))];
    if executed > 0 {
        seen.insert(0, format!("MC {} of {} edges", thousands(differing), thousands(executed)));
        seen.push(sparkline(&curve, CURVE));
    }
    if plans > 0 {
        seen.insert(seen.len().min(1), format!("{} plans", thousands(plans)));
    }
    let found = format!(
        "{} bugs, {} violations; {} workers lost",
        thousands(bugs),
        thousands(violated),
        thousands(history.summary.restarts)
    );
    [pairs, seen.join(", "), found]
}

/// A time in the two largest units.
fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..86400 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86400, seconds / 3600 % 24),
    }
}
