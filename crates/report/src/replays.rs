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
            Replayed::Bisected(bisected) => {
                fails |= bisected.fixed.is_none() && bisected.unknown.is_empty();
                [bisected.last_failing.clone(), fix(bisected)]
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

/// The version with the fix, and those before it that may have it too.
fn fix(bisected: Bisected) -> String {
    let fixed = bisected.fixed.unwrap_or_else(|| "no version".to_owned());
    match &bisected.unknown[..] {
        [] => fixed,
        [only] => format!("{fixed} (no verdict on {only})"),
        [first, .., last] => format!("{fixed} (no verdict on {first} to {last})"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_without_a_verdict_are_named_beside_the_fix() {
        let fix = |fixed: Option<&str>, unknown: &[&str]| {
            let unknown = unknown.iter().map(|&name| name.to_owned()).collect();
            let fixed = fixed.map(str::to_owned);
            fix(Bisected { last_failing: "none".to_owned(), fixed, unknown })
        };
        assert_eq!(fix(Some("x@3"), &[]), "x@3");
        assert_eq!(fix(Some("x@3"), &["x@2"]), "x@3 (no verdict on x@2)");
        assert_eq!(fix(None, &["x@1", "x@2", "x@3"]), "no version (no verdict on x@1 to x@3)");
    }
}
