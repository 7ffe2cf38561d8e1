//! Removes columns from a table and from all insertions into it.

use std::ops::Range;

use super::edit::{groups, levels, segments};
use crate::sql::token::{Brackets, Kind, Token, is_keyword, pretty};

/// The setups without one of the columns of a table.
pub(super) fn removals(setup: &[String], brackets: Brackets) -> Vec<Vec<String>> {
    let words: Vec<Vec<Token>> = setup.iter().map(|text| brackets.tokens(text)).collect();
    let mut removals = Vec::new();
    for (at, statement) in words.iter().enumerate() {
        let Some((table, columns)) = definition(statement) else { continue };
        if columns.len() < 2 {
            continue;
        }
        // Some virtual tables have an odd number of columns, so pairs are tried too.
        let singles = (0..columns.len()).map(|place| place..place + 1);
        let doubles = (1..columns.len()).map(|place| place - 1..place + 1);
        for places in doubles.chain(singles) {
            if let Some(removal) = removal(&words, at, table, &columns, &places) {
                let texts = setup.iter().zip(removal);
                removals.push(texts.map(|(old, new)| new.unwrap_or_else(|| old.clone())).collect());
            }
        }
    }
    removals
}

/// For each statement that changes: its text without some columns of the table that the statement
/// at `at` defines.
fn removal(
    words: &[Vec<Token>],
    at: usize,
    table: &Token,
    columns: &[Range<usize>],
    places: &Range<usize>,
) -> Option<Vec<Option<String>>> {
    let statement = &words[at];
    let names: Vec<&Token> =
        columns[places.clone()].iter().map(|column| &statement[column.start]).collect();
    let is_column = |name: &&Token| name.kind == Kind::Word && !is_keyword(name);
    if places.len() == columns.len() || !names.iter().all(is_column) {
        return None;
    }
    let defined = pretty(&without(statement, &[(columns, places.clone())]));
    let shorter = |(other, words): (usize, &Vec<Token>)| {
        if other == at { Some(defined.clone()) } else { insertion(words, table, &names, places) }
    };
    Some(words.iter().enumerate().map(shorter).collect())
}

/// The table that a statement defines, and its columns and constraints.
fn definition(words: &[Token]) -> Option<(&Token, Vec<Range<usize>>)> {
    let table = words.iter().take(4).position(|word| word.is("TABLE"))?;
    if !words.first()?.is("CREATE") {
        return None;
    }
    let is_conditional = words.get(table + 1)?.is("IF");
    let name = words.get(table + if is_conditional { 4 } else { 1 })?;
    Some((name, items(words, groups(words).first()?)))
}

/// An insertion into a table, without the values of some columns.
fn insertion(
    words: &[Token],
    table: &Token,
    names: &[&Token],
    places: &Range<usize>,
) -> Option<String> {
    let into = words.iter().take(4).position(|word| word.is("INTO"))?;
    if words.get(into + 1)?.text != table.text {
        return None;
    }
    let values = words.iter().position(|word| word.is("VALUES"))?;
    let groups = levels(words).into_iter().next()?.into_iter().filter(|item| item.len() > 1);
    let (heads, rows): (Vec<_>, Vec<_>) = groups.partition(|group| group.start < values);
    let heads: Vec<_> = heads.iter().map(|group| items(words, group)).collect();
    let places = match (heads.first(), names) {
        (None, _) => places.clone(),
        (Some(columns), [name]) => {
            let place = columns.iter().position(|column| words[column.start] == **name)?;
            place..place + 1
        }
        // If the statement names its columns, they can be removed one by one.
        _ => return None,
    };
    let lists: Vec<_> = heads.into_iter().chain(rows.iter().map(|row| items(words, row))).collect();
    let lists = lists.iter().filter(|list| list.len() > places.len());
    let lists: Vec<_> = lists.map(|list| (list.as_slice(), places.clone())).collect();
    Some(pretty(&without(words, &lists)))
}

/// The items between the commas of a bracket.
fn items(words: &[Token], group: &Range<usize>) -> Vec<Range<usize>> {
    let level = levels(words)
        .into_iter()
        .find(|level| level.first().is_some_and(|first| first.start == group.start + 1));
    level.map(|level| segments(words, &level)).unwrap_or_default()
}

/// The words without some items of lists, and without the commas beside them.
fn without(words: &[Token], lists: &[(&[Range<usize>], Range<usize>)]) -> Vec<Token> {
    let gone = lists.iter().filter_map(|(list, places)| {
        let (first, last) = (list.get(places.start)?, list.get(places.end - 1)?);
        Some(if places.start > 0 { first.start - 1..last.end } else { first.start..last.end + 1 })
    });
    let gone: Vec<Range<usize>> = gone.collect();
    let is_kept = |at: &usize| gone.iter().all(|range| !range.contains(at));
    (0..words.len()).filter(is_kept).map(|at| words[at].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_removed_with_its_values() {
        let setup = [
            "CREATE TABLE t0(c0 INT, c1 TEXT)",
            "INSERT INTO t0 VALUES (1, 2), (3, 4)",
            "INSERT INTO t0(c1, c0) VALUES (5, 6)",
            "INSERT INTO t1 VALUES (1, 2)",
        ];
        let removals = removals(&setup.map(ToOwned::to_owned), Brackets::Quote);
        assert_eq!(removals.len(), 2);
        assert_eq!(
            removals[0],
            [
                "CREATE TABLE t0(c1 TEXT)",
                "INSERT INTO t0 VALUES (2), (4)",
                "INSERT INTO t0(c1) VALUES (5)",
                "INSERT INTO t1 VALUES (1, 2)"
            ]
        );
    }
}
