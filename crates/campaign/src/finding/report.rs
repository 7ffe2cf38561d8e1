//! A finding as text: a script for SQLite's shell, and a report to paste.

use std::fmt::Write as _;

use metacov_core::{Judge, Language, RelationInfo, counted};

use super::failing_case::FailureKind;
use super::triage::Finding;

/// The most functions that a report lists.
const FUNCTIONS_MAX: usize = 20;
/// The most rows of a side that a report shows.
const ROWS_MAX: usize = 20;

/// A script that reproduces the finding for a person who has the target.
pub(super) fn script(
    finding: &Finding,
    language: &dyn Language,
    relations: &[RelationInfo],
) -> String {
    let Finding { suspect, target, .. } = finding;
    let first = format!("{} on {target}: {}", suspect.case.relation, suspect.what);
    language.reproducer(&suspect.case, &[first, expectation(finding, relations)])
}

/// What the relation requires, in a sentence.
fn expectation(finding: &Finding, relations: &[RelationInfo]) -> String {
    if !matches!(finding.suspect.what, FailureKind::Violated(_)) {
        return "Expected: both sides come to an end.".to_owned();
    }
    let how = match finding.suspect.case.judge {
        Judge::Bag => "both sides have the same rows, in any order",
        Judge::Representatives => {
            "both sides have the same rows, in any order, up to letter case, trailing spaces and the type of numbers"
        }
        Judge::RowsCounted => "side a has as many rows as the number of side b says",
        Judge::Number => "both sides have the same number; NULL is 0",
        Judge::Sat => "side b is sat, as are all inputs of side a",
        Judge::Unsat => "side b is unsat, as are all inputs of side a",
        Judge::WeakerAnswer => "side b is sat if side a is",
        Judge::StrongerAnswer => "side b is unsat if side a is",
        Judge::SameAnswer => "both sides have the same answer",
    };
    let relation = relations.iter().find(|known| known.name == finding.suspect.case.relation);
    let why = relation.map(|known| format!(" ({})", known.about)).unwrap_or_default();
    format!("Expected: {how}{why}.")
}

/// A report to paste into a bug tracker.
pub(super) fn report(
    finding: &Finding,
    language: &dyn Language,
    relations: &[RelationInfo],
) -> String {
    let Finding { suspect, target, before, candidates, .. } = finding;
    let kind = match suspect.what {
        FailureKind::Violated(_) => "Wrong result",
        FailureKind::Crashed { .. } => "Crash",
        FailureKind::Hung { .. } => "Hang",
    };
    let mut text = format!("# {kind} in {target} ({})\n\n", suspect.case.relation);
    let _ = writeln!(text, "{}\n\nSeen: {}.\n", expectation(finding, relations), suspect.what);
    let _ = writeln!(text, "```{}", language.extension());
    let setup = language.script(&suspect.case.setup);
    if !suspect.case.setup.is_empty() {
        let _ = writeln!(text, "{}", setup.trim_end());
    }
    for (name, side) in [("a", &suspect.case.sides.a), ("b", &suspect.case.sides.b)] {
        for (input, at) in side.iter().zip(1..) {
            let number = if side.len() > 1 { format!(", input {at}") } else { String::new() };
            let (comment, script) = (language.comment(), language.script(&input.statements));
            let _ = write!(text, "{comment} side {name}{number}\n{script}");
        }
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
            let _ = writeln!(text, "... and {}", counted(more as u64, "more row", "more rows"));
        }
        text.push_str("```\n\n");
    }
    match &finding.difference {
        Some(difference) => {
            let named: Vec<&str> =
                difference.functions.iter().take(FUNCTIONS_MAX).map(String::as_str).collect();
            let lines = counted(difference.lines.len() as u64, "line", "lines");
            let functions = counted(difference.functions.len() as u64, "function", "functions");
            let _ = writeln!(
                text,
                "Only one of the sides runs {lines} of {functions} (mc-lines.txt), among them \
                 those of {}.\n",
                named.join(", ")
            );
        }
        None => text.push_str("What only one of the sides runs was not measured.\n\n"),
    }
    let after = suspect.case.size();
    let command = finding.library.as_ref().zip(finding.arguments.as_ref());
    let command = command.map(|(program, arguments)| {
        format!("- command: {} {}\n", program.display(), arguments.join(" "))
    });
    let command = command.unwrap_or_default();
    let shape: Vec<&str> = finding.shape.iter().map(String::as_str).collect();
    let _ = writeln!(
        text,
        "- target: {target}\n{command}- relation: {}\n- seed {}, database {}, pair {}\n- reduced from {} statements \
         ({} bytes) to {} ({} bytes), in {candidates} steps\n- signature: {}\n- shape: {}\n- metacov {}",
        suspect.case.relation,
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
