//! Shows the results of a campaign, from its run file.

use std::fmt::Write as _;
use std::path::Path;

use metacov_campaign::{CampaignStats, History, findings_folder};
use metacov_core::{Criterion, thousands, total};
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
        let (lines, kept, path) = (thousands(lines), thousands(kept), path.display());
        console.note(&format!(
            "MC {lines} lines, in {kept} pairs that were kept: metacov report {path}"
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
        "{} pairs on {} databases, {} changes of them, {} workers lost",
        thousands(pairs),
        thousands(history.curve.len() as u64),
        thousands(history.summary.changes),
        thousands(history.summary.restarts),
    );
    if plans > 0 {
        let _ = write!(words, "; {} query plans", thousands(plans));
    }
    if executed > 0 {
        let (differing, executed) = (thousands(differing), thousands(executed));
        let _ = write!(words, "; {differing} edges differ, of {executed} that ran");
    }
    console.note(&words);
    for (what, count) in &history.summary.known {
        console.note(&format!("known: {what}, {count} times"));
    }
    for (why, count) in &history.summary.unconfirmed {
        console.note(&format!("not confirmed, {count} times: {why}"));
    }
    if history.summary.alike > 0 {
        let alike = thousands(history.summary.alike);
        console.note(&format!("{alike} violations look like others, and were not looked into"));
    }
    if bugs == 0 {
        return Ok(ExitCode::Success);
    }
    print(&format!("{}\n", campaign_findings(history).to_terminal(console.colors_output())))?;
    let plural = if bugs == 1 { "bug" } else { "bugs" };
    console.note(&format!("{bugs} {plural} in {}", findings_folder(path).display()));
    Ok(ExitCode::Violated)
}
