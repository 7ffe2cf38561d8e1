//! A finding in words: a script for SQLite's shell, and a report to paste.

use std::fmt::Write as _;

use metacov_relations::{ALL, Comparison};

use super::investigator::{Finding, Size};
use super::suspect::FailureKind;
use crate::script::script as statements;

/// Functions that a report names, at most.
const FUNCTIONS_MAX: usize = 20;
/// Rows of a side that a report shows, at most.
const ROWS_MAX: usize = 20;

/// What SQLite's shell runs to show it.
pub(super) fn script(finding: &Finding) -> String {
    let Finding { suspect, target, .. } = finding;
    let [a, b] = &suspect.case.sides;
    let mut text = format!("-- {} on {target}: {}\n", suspect.relation, suspect.what);
    let _ = writeln!(text, "-- {}", expectation(finding));
    text.push_str("-- To run it: sqlite3 < reproduce.sql\n.mode quote\n");
    text.push_str(&statements(&suspect.case.setup));
    for (name, side) in [("a", a), ("b", b)] {
        let _ = write!(text, "\n.print side {name}:\n{}", statements(side));
        if side.iter().any(|statement| statement.starts_with('.')) {
            text.push_str(".testctrl optimizations 0\n");
        }
    }
    text
}

/// What should be, in a sentence.
fn expectation(finding: &Finding) -> String {
    if !matches!(finding.suspect.what, FailureKind::Violated(_)) {
        return "Expected: both sides come to an end.".to_owned();
    }
    let how = match finding.suspect.case.comparison {
        Comparison::Bag => "both sides have the same rows, in any order",
        Comparison::Representatives => {
            "both sides have the same rows, in any order, up to letter case, trailing spaces and the type of numbers"
        }
        Comparison::RowsCounted => "side a has as many rows as the number of side b says",
        Comparison::Number => "both sides have the same number; NULL is 0",
    };
    let relation = ALL.iter().find(|known| known.name() == finding.suspect.relation);
    let why = relation.map(|known| format!(" ({})", known.about())).unwrap_or_default();
    format!("Expected: {how}{why}.")
}

/// A report that people can paste.
pub(super) fn report(finding: &Finding) -> String {
    let Finding { suspect, target, before, candidates, .. } = finding;
    let kind = match suspect.what {
        FailureKind::Violated(_) => "Wrong result",
        FailureKind::Crashed { .. } => "Crash",
        FailureKind::Hung { .. } => "Hang",
    };
    let mut text = format!("# {kind} in {target} ({})\n\n", suspect.relation);
    let _ = writeln!(text, "{}\n\nSeen: {}.\n", expectation(finding), suspect.what);
    let _ = writeln!(text, "```sql\n{}", statements(&suspect.case.setup).trim_end());
    for (name, side) in ["a", "b"].iter().zip(&suspect.case.sides) {
        let _ = write!(text, "-- side {name}\n{}", statements(side));
    }
    text.push_str("```\n\n");
    for (name, output) in ["a", "b"].iter().zip(finding.outputs.iter().flatten()) {
        if output.is_empty() {
            let _ = writeln!(text, "Side {name} gives no rows.\n");
            continue;
        }
        let rows: Vec<&str> = output.lines().take(ROWS_MAX).collect();
        let more = output.lines().count() - rows.len();
        let _ = writeln!(text, "Side {name} gives:\n\n```text\n{}", rows.join("\n"));
        if more > 0 {
            let _ = writeln!(text, "... and {more} more rows");
        }
        text.push_str("```\n\n");
    }
    match &finding.difference {
        Some(difference) => {
            let named: Vec<&str> =
                difference.functions.iter().take(FUNCTIONS_MAX).map(String::as_str).collect();
            let (lines, functions) = (difference.lines.len(), difference.functions.len());
            let _ = writeln!(
                text,
                "Only one of the sides runs {lines} lines of {functions} functions (mc-lines.txt), among them \
                 those of {}.\n",
                named.join(", ")
            );
        }
        None => text.push_str("What only one of the sides runs was not measured.\n\n"),
    }
    let after = Size::of(&suspect.case);
    let shape: Vec<&str> = finding.shape.iter().map(String::as_str).collect();
    let _ = writeln!(
        text,
        "- target: {target}\n- relation: {}\n- seed {}, database {}, pair {}\n- reduced from {} statements \
         ({} bytes) to {} ({} bytes), in {candidates} steps\n- signature: {}\n- shape: {}\n- metacov {}",
        suspect.relation,
        suspect.seed,
        suspect.database,
        suspect.pair,
        before.statements,
        before.bytes,
        after.statements,
        after.bytes,
        finding.signature,
        shape.join(", "),
        env!("CARGO_PKG_VERSION"),
    );
    if let Some(reference) = &finding.reference {
        let _ = writeln!(text, "- the sides agree on {reference}");
    }
    text
}
