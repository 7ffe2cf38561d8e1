//! What is said about a suite beside its table.

use metacov_core::{Criteria, Suite, Tally, Warning, counted, thousands};
use metacov_formats::{Error, Fault, Location};
use metacov_study::conduct::Message;

/// Returns the criteria to show: the requested ones, or all that the coverage has; and a message about those that it
/// lacks.
pub fn chosen_criteria(
    suite: &Suite,
    asked: Option<Criteria>,
) -> Result<(Criteria, Option<Message>), Error> {
    let reported = suite.criteria();
    let Some(asked) = asked else { return Ok((reported, None)) };
    let unreported = asked.without(reported);
    if asked == unreported {
        let fault = Fault::malformed(Location::Whole, "the coverage has no such sites");
        return Err(fault.of(asked.to_string()));
    }
    let what = || format!("left out: {unreported} (the coverage has no such sites)");
    let message = (!unreported.is_empty()).then(|| Message::Warning(what()));
    Ok((asked.intersection(reported), message))
}

/// Returns the warnings of a suite, and how many pairs have no difference.
pub fn suite_messages(suite: &Suite, total: &Tally) -> Vec<Message> {
    let message = |warning: &Warning| match warning {
        // No number is affected: it only says why a row is missing.
        Warning::ReportedByNone(_) => Message::Note(warning.to_string()),
        _ => Message::Warning(warning.to_string()),
    };
    let mut messages: Vec<Message> = suite.warnings().iter().map(message).collect();
    let Tally { groups, vacuous, .. } = total;
    if *groups > 1 && *vacuous > 0 {
        let what = if *groups == total.pairs { "pairs" } else { "groups" };
        messages.push(Message::Note(format!("{vacuous} of {groups} {what} have no difference")));
    }
    messages
}

/// How many sites a suite has, and of which build.
pub fn suite_size(suite: &Suite) -> String {
    let (sites, files) = (suite.table.len() as u64, suite.table.file_count() as u64);
    let (sites, files) = (counted(sites, "site", "sites"), counted(files, "file", "files"));
    format!("{sites} in {files}, build {}", suite.table.build_id())
}

/// How many pairs were checked, and how many of those violate their relation.
pub fn checked(total: &Tally) -> String {
    let Tally { groups, judged, violated, .. } = *total;
    let pairs = |count| counted(count, "pair", "pairs");
    let violations = match violated {
        0 => "no violations".to_owned(),
        count => counted(count, "violation", "violations"),
    };
    match judged {
        0 => "not checked: the pairs have no judge (see --judge)".to_owned(),
        _ if judged == groups => format!("checked {}: {violations}", pairs(judged)),
        _ => format!(
            "checked {} of {}: {violations} (the others have no judge)",
            thousands(judged),
            pairs(groups)
        ),
    }
}
