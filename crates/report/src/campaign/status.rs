//! The progress of a campaign in a few lines.

use std::time::Duration;

use metacov_campaign::{CampaignStats, CampaignStatus};
use metacov_core::{counted, thousands};

use super::sparkline;

/// How many columns a curve has.
const CURVE_COLUMNS: usize = 16;

/// Returns the progress of a campaign: three lines, none of them longer than a narrow terminal.
pub fn status(status: &CampaignStatus<'_>) -> [String; 3] {
    let CampaignStatus { history, tested, elapsed, since_news } = status;
    let CampaignStats { differing, executed, plans, bugs, .. } = history.stand();
    #[expect(clippy::cast_precision_loss, reason = "a speed is no exact number")]
    let rate = *tested as f64 / elapsed.as_secs_f64().max(0.001);
    let violated: u64 = history.summary.relations.values().map(|counts| counts.violated).sum();
    let curve: Vec<u64> = history.curve.iter().map(|stand| stand.differing).collect();
    let pairs = format!(
        "{} in {}, {rate:.0}/s; {}, {}",
        counted(*tested, "pair", "pairs"),
        time(*elapsed),
        counted(history.curve.len() as u64, "database", "databases"),
        counted(history.summary.changes, "change", "changes"),
    );
    let mut seen = vec![format!("news {} ago", time(*since_news))];
    if executed > 0 {
        seen.insert(0, format!("{} of {} edges differ", thousands(differing), thousands(executed)));
        seen.push(sparkline(&curve, CURVE_COLUMNS));
    }
    if plans > 0 {
        seen.insert(seen.len().min(1), counted(plans, "plan", "plans"));
    }
    let found = format!(
        "{}, {}; {} lost",
        counted(bugs, "bug", "bugs"),
        counted(violated, "violation", "violations"),
        counted(history.summary.restarts, "worker", "workers")
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
