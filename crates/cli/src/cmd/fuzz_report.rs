//! What a campaign has come to, from its run file.

use std::path::Path;

use metacov_campaign::{History, Record, Stand};
use metacov_core::{Criterion, total};
use metacov_formats::{Error, Fault, Place};
use metacov_report::{campaign_findings, campaign_pairs, thousands};
use metacov_store::{Run, StoredRound};

use super::fuzz::findings_folder;
use crate::exit_code::ExitCode;
use crate::talk::{Talk, print};

/// Shows the campaigns of a run file.
pub fn run(path: &Path, talk: &Talk) -> anyhow::Result<ExitCode> {
    let run = Run::open(path)?;
    let history = history(&run)?;
    let Stand { pairs, differing, plans, groups, .. } = history.stand();
    print(&campaign_pairs(&history).to_terminal(talk.colors_output()))?;
    let mut words = format!(
        "{} pairs on {} databases, {} changes of them, {} workers lost",
        thousands(pairs),
        thousands(history.curve.len() as u64),
        thousands(history.summary.changes),
        thousands(history.summary.restarts),
    );
    if plans > 0 {
        words.push_str(&format!("; {} query plans", thousands(plans)));
    }
    talk.note(&words);
    if differing == 0 {
        talk.note("coverage was not looked at (--observe does)");
    } else {
        let kept = run.groups()?;
        let (suite, _) = run.suite()?;
        let lines = total(&suite.table, &suite.total())[Criterion::Line].selected;
        talk.note(&format!(
            "MC {} edges; {} lines in the {} pairs that brought them (metacov report)",
            thousands(differing),
            thousands(lines),
            thousands(kept)
        ));
    }
    for (what, count) in &history.summary.known {
        talk.note(&format!("known: {what}, {count} times"));
    }
    for (why, count) in &history.summary.unconfirmed {
        talk.note(&format!("not confirmed, {count} times: {why}"));
    }
    if groups == 0 {
        talk.note("nothing was found");
        return Ok(ExitCode::Success);
    }
    print("\n")?;
    print(&campaign_findings(&history).to_terminal(talk.colors_output()))?;
    talk.note(&format!("{groups} bugs in {}", findings_folder(path).display()));
    Ok(ExitCode::Violated)
}

/// What the rounds of a run file come to.
pub fn history(run: &Run) -> anyhow::Result<History> {
    let mut history = History::default();
    for round in run.rounds()? {
        let (number, record) = record(round);
        history.add(&record).map_err(|what| damaged(number, &what, &run.name))?;
    }
    Ok(history)
}

/// A round as a campaign knows it, with its number.
pub fn record(round: StoredRound) -> (u64, Record) {
    let StoredRound { number, summary, findings, lesson, .. } = round;
    (number, Record { summary, findings, lesson })
}

/// What is wrong with a run file whose rounds make no sense.
pub fn damaged(number: u64, what: &str, name: &str) -> Error {
    let what = format!("a damaged run file: round {number}: {what}");
    Fault::malformed(Place::Whole, what).of(name)
}
