//! Findings that were run again, as a table.

use metacov_campaign::{Bisected, FailureKind, FindingFile, Replayed};
use metacov_core::Verdict;

use crate::{Column, Table};

/// Returns the results of findings, and whether one of them fails; if it was bisected, on the newest version.
pub fn replays(
    findings: &[(String, FindingFile)],
    replayed: Vec<Replayed>,
    is_bisected: bool,
) -> (Table, bool) {
    let (mut rows, mut fails) = (Vec::new(), false);
    for ((name, finding), replayed) in findings.iter().zip(replayed) {
        let [first, second] = match replayed {
            Replayed::Bisected(Bisected { last_failing, fixed }) => {
                fails |= fixed.is_none();
                [last_failing, fixed.unwrap_or_else(|| "no version".to_owned())]
            }
            Replayed::Once { engine, verdict } => {
                fails |= FailureKind::of(&verdict).is_some();
                [engine, words(&verdict)]
            }
        };
        rows.push(vec![name.clone(), finding.relation.clone(), first, second]);
    }
    let headings = if is_bisected { ["fails up to", "fixed in"] } else { ["engine", "result"] };
    let columns = ["finding", "relation"].into_iter().chain(headings).map(Column::word).collect();
    (Table { columns, rows }, fails)
}

fn words(verdict: &Verdict) -> String {
    match (FailureKind::of(verdict), verdict) {
        (Some(what), _) => format!("fails: {what}"),
        (None, Verdict::Invalid(reason)) => format!("does not run: {reason}"),
        (None, Verdict::Lost { missing, .. }) => {
            format!("does not run: {}", missing.failure.name())
        }
        (None, Verdict::Holds | Verdict::Violated(_)) => "does not fail".to_owned(),
    }
}
