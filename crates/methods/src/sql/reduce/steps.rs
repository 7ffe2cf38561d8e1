//! The possible steps from a draft, by kind.

use super::column;
use super::draft::{Change, Draft};
use crate::sql::token::Token;

/// Without a chunk of consecutive statements of the setup, from the end: late statements are rarely
/// needed by others.
pub(super) fn shorter_setups(draft: &Draft, chunk: usize) -> Vec<Change> {
    let setup = &draft.setup;
    let without = |number: usize| {
        let end = setup.len() - number * chunk;
        let start = end.saturating_sub(chunk);
        Change::Setup([&setup[..start], &setup[end..]].concat())
    };
    (0..setup.len().div_ceil(chunk)).map(without).collect()
}

/// Without a column of a table.
pub(super) fn columns(draft: &Draft) -> Vec<Change> {
    column::removals(&draft.setup, draft.settings.brackets).into_iter().map(Change::Setup).collect()
}

/// With an edited statement of the setup, the last ones first.
pub(super) fn statements(draft: &Draft, edits: impl Fn(&[Token]) -> Vec<String>) -> Vec<Change> {
    let edited = |(at, text): (usize, &String)| {
        let tokens = draft.settings.brackets.tokens(text);
        edits(&tokens).into_iter().map(move |text| Change::Statement(at, text)).collect::<Vec<_>>()
    };
    draft.setup.iter().enumerate().rev().flat_map(edited).collect()
}

/// With an edited part.
pub(super) fn parts(draft: &Draft, edits: impl Fn(&[Token]) -> Vec<String>) -> Vec<Change> {
    let edited = |(at, text): (usize, &String)| {
        let tokens = draft.settings.brackets.tokens(text);
        edits(&tokens).into_iter().map(move |text| Change::Part(at, text)).collect::<Vec<_>>()
    };
    draft.parts.iter().enumerate().flat_map(edited).collect()
}

/// Without the clauses that consist of a part.
pub(super) fn clauses(draft: &Draft) -> Vec<Change> {
    (0..draft.parts.len()).map(Change::Clause).collect()
}

/// With a setting that changes less.
pub(super) fn simpler_settings(draft: &Draft) -> Vec<Change> {
    draft.simpler_settings().into_iter().map(Change::Setting).collect()
}
