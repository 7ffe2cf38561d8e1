//! Columns, taken out of a table and of all that is inserted into it.

use std::ops::Range;

use super::edit::{groups, levels, segments};
use crate::sql::token::{Kind, Token, is_keyword, pretty, tokens};

/// The setups without one of the columns of a table.
pub(super) fn removals(setup: &[String]) -> Vec<Vec<String>> {
    let words: Vec<Vec<Token>> = setup.iter().map(|statement| tokens(statement)).collect();
    let mut removals = Vec::new();
    for (at, statement) in words.iter().enumerate() {
        let Some((table, columns)) = definition(statement) else { continue };
        if columns.len() < 2 {
            continue;
        }
        for (place, column) in columns.iter().enumerate() {
            let name = &statement[column.start];
            if is_keyword(name) || name.kind != Kind::Word {
                continue;
            }
            let mut removal = setup.to_vec();
            removal[at] = pretty(&without(statement, &[columns.as_slice()], place));
            for (other, statement) in words.iter().enumerate().filter(|(other, _)| *other != at) {
                if let Some(shorter) = insertion(statement, table, name, place) {
                    removal[other] = shorter;
                }
            }
            removals.push(removal);
        }
    }
    removals
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

/// An insertion into a table, without the values of a column.
fn insertion(words: &[Token], table: &Token, name: &Token, place: usize) -> Option<String> {
    let into = words.iter().take(4).position(|word| word.is("INTO"))?;
    if words.get(into + 1)?.text != table.text {
        return None;
    }
    let values = words.iter().position(|word| word.is("VALUES"))?;
    let groups = levels(words).into_iter().next()?.into_iter().filter(|item| item.len() > 1);
    let (heads, rows): (Vec<_>, Vec<_>) = groups.partition(|group| group.start < values);
    let heads: Vec<_> = heads.iter().map(|group| items(words, group)).collect();
    let place = match heads.first() {
        Some(columns) => columns.iter().position(|column| words[column.start] == *name)?,
        None => place,
    };
    let lists = heads.into_iter().chain(rows.iter().map(|row| items(words, row)));
    let lists: Vec<_> = lists.filter(|list| list.len() > 1).collect();
    let lists: Vec<&[Range<usize>]> = lists.iter().map(Vec::as_slice).collect();
    Some(pretty(&without(words, &lists, place)))
}

/// What stands between the commas of a bracket.
fn items(words: &[Token], group: &Range<usize>) -> Vec<Range<usize>> {
    let level = levels(words)
        .into_iter()
        .find(|level| level.first().is_some_and(|first| first.start == group.start + 1));
    level.map(|level| segments(words, &level)).unwrap_or_default()
}

/// The words without an item of each list, and without a comma beside it.
fn without(words: &[Token], lists: &[&[Range<usize>]], place: usize) -> Vec<Token> {
    let gone = lists.iter().filter_map(|list| {
        let item = list.get(place)?;
        Some(if place > 0 { item.start - 1..item.end } else { item.start..item.end + 1 })
    });
    let gone: Vec<Range<usize>> = gone.collect();
    let is_kept = |at: &usize| gone.iter().all(|range| !range.contains(at));
    (0..words.len()).filter(is_kept).map(|at| words[at].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_goes_with_its_values() {
        let setup = [
            "CREATE TABLE t0(c0 INT, c1 TEXT)",
            "INSERT INTO t0 VALUES (1, 2), (3, 4)",
            "INSERT INTO t0(c1, c0) VALUES (5, 6)",
            "INSERT INTO t1 VALUES (1, 2)",
        ];
        let removals = removals(&setup.map(ToOwned::to_owned));
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
