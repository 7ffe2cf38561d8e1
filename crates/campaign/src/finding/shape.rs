//! What a reduced case needs to fail, in words: the shape that findings are grouped by.
//!
//! A case that cannot be made smaller has little in it that does not matter, so what is left tells bugs apart. What is
//! left by chance must not: names, literals, which of the comparisons, which relation noticed, what one-row table the
//! rows came from.

use std::collections::BTreeSet;

use metacov_relations::Case;
use metacov_relations::token::{Kind, Token, is_keyword, tokens};

use super::difference::Difference;
use super::suspect::{FailingCase, FailureKind};

/// Words of definitions that change what the engine does with a table.
const TRAITS: &[&str] = &["ANALYZE", "CHECK", "DESC", "GENERATED", "REINDEX", "TRIGGER", "WITHOUT"];
/// What makes an index, by itself or as it goes.
const INDEXES: &[&str] = &["INDEX", "KEY", "UNIQUE"];
/// Types of columns, which count as what they make of values.
const TYPES: &[&str] = &["BLOB", "INT", "INTEGER", "NUMERIC", "REAL", "TEXT"];
const COMPARISONS: &[&str] = &["=", "==", "<", ">", "<=", ">=", "!=", "<>", "IS"];
const ARITHMETIC: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "~", "<<", ">>"];
/// Functions that are hints, all of one kind.
const HINTS: &[&str] = &["LIKELIHOOD", "LIKELY", "UNLIKELY"];
/// Words of queries that every query has, or that say the same in another way.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "ALL", "AND", "AS", "ASC", "BY", "CROSS", "DEFAULT", "DESC", "ELSE", "END", "FALSE", "FROM", "INNER", "JOIN", "LIMIT",
    "MATERIALIZED", "NATURAL", "NOT", "NULL", "OFFSET", "ON", "OR", "OUTER", "SELECT", "THEN", "TRUE", "USING", "VALUES",
    "WHEN", "WHERE",
];
/// Words that say nothing of a bug without others.
const JOINS: &[&str] = &["FULL", "LEFT", "RIGHT"];
/// Modules of virtual tables, as the functions of SQLite that serve them begin.
const MODULES: &[&str] = &["dbstat", "fts3", "fts5", "json", "rtree"];

/// The words that a reduced suspect needs to fail.
pub(super) fn shape(suspect: &FailingCase, difference: Option<&Difference>) -> BTreeSet<String> {
    let mut shape = BTreeSet::from([suspect.what.name().to_owned()]);
    // It was not reduced, so what is in it says nothing: all hangs are one group, of which each has its folder.
    if matches!(suspect.what, FailureKind::Hung { .. }) {
        return shape;
    }
    let mut query = BTreeSet::new();
    for part in texts(&suspect.case) {
        query_words(&tokens(part), &mut query);
    }
    // A crash has nothing to do with a relation.
    let is_violation = matches!(suspect.what, FailureKind::Violated(_));
    if is_violation && query.iter().all(|word| JOINS.contains(&word.as_str())) {
        // The predicate is of no account. What is wrong is how rows are joined, or what the relation does with them.
        let joins =
            |part: &String| tokens(part).iter().any(|word| word.is("NATURAL") || word.is("USING"));
        let is_joined = texts(&suspect.case).any(joins);
        query.insert(if is_joined { "comparison".to_owned() } else { suspect.relation.clone() });
    }
    shape.append(&mut query);
    for statement in &suspect.case.setup {
        setup_words(&tokens(statement), &mut shape);
    }
    // A virtual table may be there because the database had no other. It counts if what serves it is in the MC.
    if let Some(difference) = difference {
        let serves = |module: &&&str| {
            difference.functions.iter().any(|function| function.starts_with(**module))
        };
        shape.extend(MODULES.iter().filter(serves).map(|module| (*module).to_owned()));
    }
    shape
}

/// What queries are made up of; the queries themselves where nobody knows.
fn texts(case: &Case) -> impl Iterator<Item = &String> {
    let sides = case.sides.iter().flatten().filter(|statement| !statement.starts_with('.'));
    let sides = case.parts.is_empty().then_some(sides);
    case.parts.iter().chain(sides.into_iter().flatten())
}

fn query_words(words: &[Token], shape: &mut BTreeSet<String>) {
    let before = |at: usize, back: usize| at.checked_sub(back).and_then(|at| words.get(at));
    // Of each bracket that is open: whether it holds a list, not a row.
    let mut lists = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_any = |list: &[&str]| list.iter().any(|known| word.is(known));
        let was =
            |back: usize, keyword: &str| before(at, back).is_some_and(|word| word.is(keyword));
        let is_tested = was(1, "IS") || was(2, "IS");
        let is_called = words.get(at + 1).is_some_and(|next| next.text == "(");
        match word.text.as_str() {
            "(" => {
                let is_query = words.get(at + 1).is_some_and(|word| word.is("SELECT"));
                lists.push(is_query || before(at, 1).is_some_and(takes_list));
            }
            ")" => drop(lists.pop()),
            _ => {}
        }
        let mark = match word.text.as_str() {
            "," if lists.last() == Some(&false) => "row value",
            "||" => "||",
            "->" | "->>" => "->",
            "*" if !before(at, 1).is_some_and(is_operand) => continue,
            _ if is_any(&["ISNULL", "NOTNULL"]) => "null test",
            _ if word.is("NULL") && (is_tested || was(1, "NOT")) => "null test",
            _ if is_any(&["TRUE", "FALSE"]) && is_tested => "truth test",
            // Told by what follows.
            _ if word.is("IS") && tests(words, at) => continue,
            _ if is_any(COMPARISONS) => "comparison",
            _ if is_any(ARITHMETIC) => "arithmetic",
            _ if is_any(&["LIKE", "GLOB"]) => "LIKE",
            _ if is_any(HINTS) => "LIKELY",
            _ if is_any(COMMON) || word.text.starts_with("pragma_") || is_counted(word) => continue,
            _ if is_keyword(word) || word.kind == Kind::Word && is_called => {
                &word.text.to_uppercase()
            }
            _ => continue,
        };
        shape.insert(mark.to_owned());
    }
}

/// Whether what stands in brackets behind a word is a list of arguments, values or columns.
fn takes_list(word: &Token) -> bool {
    let is_list = ["IN", "VALUES", "USING"].iter().any(|known| word.is(known));
    word.kind == Kind::Word && (is_list || !is_keyword(word))
}

/// Whether an IS tests for NULL or a truth value.
fn tests(words: &[Token], is: usize) -> bool {
    let behind = words.get(is + 1..).unwrap_or_default();
    let behind = behind.iter().find(|word| !word.is("NOT"));
    behind.is_some_and(|word| word.is("NULL") || word.is("TRUE") || word.is("FALSE"))
}

/// Whether it is a name that was given out with a number, such as that of a table that is called like a function.
fn is_counted(word: &Token) -> bool {
    let letters = word.text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    letters.len() < word.text.len() && ["t", "v", "a", "wa"].contains(&letters)
}

fn is_operand(word: &Token) -> bool {
    word.text == ")" || word.kind != Kind::Sign && !is_keyword(word)
}

fn setup_words(words: &[Token], shape: &mut BTreeSet<String>) {
    let is_pragma = words.first().is_some_and(|word| word.is("PRAGMA"));
    if let (true, Some(name)) = (is_pragma, words.get(1)) {
        shape.insert(format!("pragma {}", name.text));
        return;
    }
    for (at, word) in words.iter().enumerate() {
        let last = at.checked_sub(1).and_then(|at| words.get(at));
        let is_any = |list: &[&str]| list.iter().any(|known| word.is(known));
        let is_named = last.is_some_and(|last| last.kind == Kind::Word && !is_keyword(last));
        let is_collation = last.is_some_and(|last| last.is("COLLATE")) && !word.is("BINARY");
        // What stands where a column is named is its name, whatever it would be elsewhere.
        if last.is_some_and(|last| last.text == "(" || last.text == ",") && is_any(&["KEY", "DESC"])
        {
            continue;
        }
        let mark = match () {
            () if is_any(INDEXES) => "index".to_owned(),
            // A view is a part of the query.
            () if is_any(JOINS) => word.text.to_uppercase(),
            () if is_any(TYPES) && is_named => "column type".to_owned(),
            () if is_any(TRAITS) || is_collation => format!("table {}", word.text.to_uppercase()),
            () => continue,
        };
        shape.insert(mark);
    }
    let is_index = words.iter().take(3).any(|word| word.is("INDEX"));
    if is_index && words.iter().any(|word| word.is("WHERE")) {
        shape.insert("partial index".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use metacov_relations::Comparison;

    use super::*;

    #[track_caller]
    fn check(setup: &[&str], parts: &[&str], expected: &[&str]) {
        let case = Case {
            setup: setup.iter().map(|text| (*text).to_owned()).collect(),
            sides: [Vec::new(), Vec::new()],
            parts: parts.iter().map(|text| (*text).to_owned()).collect(),
            comparison: Comparison::Bag,
        };
        let what = FailureKind::Violated(String::new());
        let relation = "norec".to_owned();
        let suspect = FailingCase { relation, case, what, seed: 0, database: 0, pair: 0 };
        let mut words = shape(&suspect, None);
        assert!(words.remove("violation"));
        assert_eq!(words.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_is_of_no_account_leaves_no_trace() {
        let join = ["LEFT", "truth test"];
        check(&["CREATE TABLE t0(c0)"], &["t1 LEFT JOIN t0", "(t0.c0 IS NOT TRUE)"], &join);
        check(
            &["CREATE VIEW v0 AS SELECT 0"],
            &["v0 NATURAL LEFT JOIN t0", "0", "(c0 IS FALSE)"],
            &join,
        );
        check(&["CREATE TABLE t0(INT)"], &["t0", "(t0.c1 = '')"], &["comparison"]);
        check(&["CREATE TABLE t0(INT)"], &["t0 a0", "NULL < a0.c1"], &["comparison"]);
        check(&["CREATE TABLE t0(KEY, DESC)"], &["t1 LEFT JOIN t0", "(c0 IS TRUE)"], &join);
        check(&[], &["v0 LEFT JOIN t0('a')", "(t0.c0 IS TRUE)"], &join);
    }

    #[test]
    fn what_matters_does() {
        check(
            &["CREATE TABLE t0(c0 TEXT COLLATE NOCASE)", "CREATE INDEX i0 ON t0(c0) WHERE c0"],
            &["t0", "(unlikely(t0.c0) < 0)"],
            &["LIKELY", "column type", "comparison", "index", "partial index", "table NOCASE"],
        );
        check(&[], &["t1 LEFT JOIN t0 USING (c0)", "t0.c1"], &["LEFT", "comparison"]);
        check(&[], &["(SELECT 0, 1) LEFT JOIN t0", "t0.c1"], &["LEFT", "norec"]);
        check(&[], &["t0", "((t0.c0, 1) NOTNULL)"], &["null test", "row value"]);
        check(&[], &["t0", "(t0.c0 IS NOT NULL)"], &["null test"]);
        check(&[], &["t0", "(abs(t0.c0, 1) IN (1, 2))"], &["ABS", "IN"]);
        check(
            &["PRAGMA case_sensitive_like = 1"],
            &["t0", "1"],
            &["norec", "pragma case_sensitive_like"],
        );
    }
}
