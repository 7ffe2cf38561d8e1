//! Shows the results of a campaign, from its run file.

use std::fmt::Write as _;
use std::path::Path;

use metacov_campaign::{CampaignStats, History, findings_folder};
use metacov_core::{Criterion, counted, thousands, total};
use metacov_report::{campaign_findings, campaign_pairs};
use metacov_store::Run;

use crate::console::{Console, print};
use crate::exit_code::ExitCode;

/// Shows the results of a campaign that has just ended.
pub fn run(path: &Path, console: &Console) -> anyhow::Result<ExitCode> {
    let run = Run::open(path)?;
    let (history, kept) = (History::of(&run)?, run.groups()?);
    let code = show(&history, path, console)?;
    if kept > 0 {
        let (suite, _) = run.suite()?;
        let lines = total(&suite.table, &suite.total())[Criterion::Line].result;
        let (lines, kept) = (counted(lines, "line", "lines"), counted(kept, "pair", "pairs"));
        let path = path.display();
        console.note(&format!(
            "{lines} in the MC of {kept} that the run file keeps: metacov report {path}"
        ));
    }
    Ok(code)
}

/// Shows the results of the rounds of a campaign; nothing if there are none.
pub fn show(history: &History, path: &Path, console: &Console) -> anyhow::Result<ExitCode> {
    if history.curve.is_empty() {
        return Ok(ExitCode::Success);
    }
    print(&format!("{}\n", campaign_pairs(history).to_terminal(console.colors_output())))?;
    let CampaignStats { pairs, differing, executed, plans, bugs } = history.stand();
    let mut words = format!(
        "{} on {}, changed {}; {} lost",
        counted(pairs, "pair", "pairs"),
        counted(history.curve.len() as u64, "database", "databases"),
        counted(history.summary.changes, "time", "times"),
        counted(history.summary.restarts, "worker", "workers"),
    );
    if plans > 0 {
        let _ = write!(words, "; {}", counted(plans, "query plan", "query plans"));
    }
    if executed > 0 {
        let executed = counted(executed, "executed edge", "executed edges");
        let _ = write!(words, "; {} of {executed} differ", thousands(differing));
    }
    console.note(&words);
    for (what, count) in &history.summary.known {
        console.note(&format!("known: {what}, {}", counted(*count, "time", "times")));
    }
    for (why, count) in &history.summary.unconfirmed {
        console.note(&format!("not confirmed, {}: {why}", counted(*count, "time", "times")));
    }
    if history.summary.alike > 0 {
        let alike = counted(history.summary.alike, "violation", "violations");
        console.note(&format!("{alike} similar to others: not examined"));
    }
    if bugs == 0 {
        return Ok(ExitCode::Success);
    }
    print(&format!("{}\n", campaign_findings(history).to_terminal(console.colors_output())))?;
    let bugs = counted(bugs, "bug", "bugs");
    console.note(&format!("{bugs} in {}", findings_folder(path).display()));
    Ok(ExitCode::Violated)
}
