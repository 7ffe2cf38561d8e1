//! The words that a reduced case needs to fail, by which findings are grouped.
//!
//! A fully reduced case contains little that does not matter, so its words distinguish bugs. Words
//! that remain by chance must not: names, literals, which comparison it is, which relation detected
//! it, which one-row table the rows come from.

use std::collections::BTreeSet;

use metacov_core::Case;

use crate::sql::settings::Settings;
use crate::sql::sides;
use crate::sql::token::{Kind, Token, is_keyword};

/// Words of definitions that change how the engine treats a table.
const TRAITS: &[&str] = &["ANALYZE", "CHECK", "DESC", "GENERATED", "REINDEX", "TRIGGER", "WITHOUT"];
/// Words that create an index, explicitly or implicitly.
const INDEXES: &[&str] = &["INDEX", "KEY", "UNIQUE"];
const COMPARISONS: &[&str] = &["=", "==", "<", ">", "<=", ">=", "!=", "<>", "IS"];
const ARITHMETIC: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "~", "<<", ">>"];
/// Functions that are hints to the planner, all of one kind.
const HINTS: &[&str] = &["LIKELIHOOD", "LIKELY", "UNLIKELY"];
/// Words that every query has, or that have an equivalent.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "ALL", "AND", "AS", "ASC", "BY", "CROSS", "DEFAULT", "DESC", "ELSE", "END", "FALSE", "FROM", "INNER", "JOIN", "LIMIT",
    "MATERIALIZED", "NATURAL", "NOT", "NULL", "OFFSET", "ON", "OR", "OUTER", "SELECT", "THEN", "TRUE", "USING", "VALUES",
    "WHEN", "WHERE",
];
/// Words that say nothing about a bug without others.
const JOINS: &[&str] = &["FULL", "LEFT", "RIGHT"];
/// What is a feature in one dialect and not in others.
pub(crate) struct Vocabulary {
    /// Types of columns that count by their effect on values. Empty if every column has a type.
    pub(crate) types: &'static [&'static str],
    /// Modules of virtual tables, as prefixes of the functions of the target that implement them.
    pub(crate) modules: &'static [&'static str],
}

/// The words that a reduced case needs to fail. `differing` are the functions that only one of its
/// sides runs.
pub(crate) fn features(
    vocabulary: &Vocabulary,
    settings: Settings,
    case: &Case,
    differing: &BTreeSet<String>,
    is_crash: bool,
) -> BTreeSet<String> {
    let mut features = BTreeSet::new();
    let texts = texts(settings, case);
    let tokens = |text: &str| settings.brackets.tokens(text);
    for text in &texts {
        query_words(&tokens(text), &mut features);
    }
    // A crash does not depend on the relation.
    if !is_crash && features.iter().all(|word| JOINS.contains(&word.as_str())) {
        // The predicate does not matter. The fault is in how rows are joined, or in the query that
        // the relation makes of them.
        let joins =
            |text: &String| tokens(text).iter().any(|word| word.is("NATURAL") || word.is("USING"));
        let is_joined = texts.iter().any(joins);
        features.insert(if is_joined { "comparison".to_owned() } else { case.relation.clone() });
    }
    for statement in &case.setup {
        setup_words(vocabulary, &tokens(statement), &mut features);
    }
    // A virtual table may remain because the database had no other table. It counts only if its
    // implementation is in the difference.
    let serves = |module: &&&str| differing.iter().any(|function| function.starts_with(**module));
    let modules = vocabulary.modules.iter();
    features.extend(modules.filter(serves).map(|module| (*module).to_owned()));
    features
}

/// The parts of the queries, or the queries themselves if the parts are not known.
fn texts(settings: Settings, case: &Case) -> Vec<String> {
    if !case.parts.is_empty() {
        return case.parts.clone();
    }
    let mut texts = sides::statements(case).concat();
    texts.retain(|statement| !(settings.is_setting)(statement));
    texts
}

fn query_words(words: &[Token], features: &mut BTreeSet<String>) {
    let before = |at: usize, back: usize| at.checked_sub(back).and_then(|at| words.get(at));
    // For each open bracket: whether it holds a list, not a row.
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
            // The word that follows is counted.
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
        features.insert(mark.to_owned());
    }
}

/// Whether a bracket after this word holds a list of arguments, values or columns.
fn takes_list(word: &Token) -> bool {
    let is_list = ["IN", "VALUES", "USING"].iter().any(|known| word.is(known));
    word.kind == Kind::Word && (is_list || !is_keyword(word))
}

/// Whether an IS tests for NULL or a truth value.
fn tests(words: &[Token], is: usize) -> bool {
    let rest = words.get(is + 1..).unwrap_or_default();
    let rest = rest.iter().find(|word| !word.is("NOT"));
    rest.is_some_and(|word| word.is("NULL") || word.is("TRUE") || word.is("FALSE"))
}

/// Whether it is a generated name with a number, such as a table that is named like a function.
fn is_counted(word: &Token) -> bool {
    let letters = word.text.trim_end_matches(|letter: char| letter.is_ascii_digit());
    letters.len() < word.text.len() && ["t", "v", "a", "wa"].contains(&letters)
}

fn is_operand(word: &Token) -> bool {
    word.text == ")" || word.kind != Kind::Sign && !is_keyword(word)
}

fn setup_words(vocabulary: &Vocabulary, words: &[Token], features: &mut BTreeSet<String>) {
    let is_pragma = words.first().is_some_and(|word| word.is("PRAGMA"));
    if let (true, Some(name)) = (is_pragma, words.get(1)) {
        features.insert(format!("pragma {}", name.text));
        return;
    }
    for (at, word) in words.iter().enumerate() {
        let last = at.checked_sub(1).and_then(|at| words.get(at));
        let is_any = |list: &[&str]| list.iter().any(|known| word.is(known));
        let is_named = last.is_some_and(|last| last.kind == Kind::Word && !is_keyword(last));
        let is_collation = last.is_some_and(|last| last.is("COLLATE")) && !word.is("BINARY");
        // In the position of a column name, a word is a name, whatever it would be elsewhere.
        if last.is_some_and(|last| last.text == "(" || last.text == ",") && is_any(&["KEY", "DESC"])
        {
            continue;
        }
        let mark = match () {
            () if is_any(INDEXES) => "index".to_owned(),
            // A view is treated as a part of the query.
            () if is_any(JOINS) => word.text.to_uppercase(),
            () if is_any(vocabulary.types) && is_named => "column type".to_owned(),
            () if is_any(TRAITS) || is_collation => format!("table {}", word.text.to_uppercase()),
            () => continue,
        };
        features.insert(mark);
    }
    let is_index = words.iter().take(3).any(|word| word.is("INDEX"));
    if is_index && words.iter().any(|word| word.is("WHERE")) {
        features.insert("partial index".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use metacov_core::Judge;

    use super::*;
    use crate::sql::token::Brackets;

    #[track_caller]
    fn check(setup: &[&str], parts: &[&str], expected: &[&str]) {
        let case = Case {
            relation: "norec".to_owned(),
            setup: setup.iter().map(|text| (*text).to_owned()).collect(),
            sides: sides::of([Vec::new(), Vec::new()]),
            parts: parts.iter().map(|text| (*text).to_owned()).collect(),
            judge: Judge::Bag,
        };
        let types = &["BLOB", "INT", "INTEGER", "NUMERIC", "REAL", "TEXT"];
        let vocabulary = Vocabulary { types, modules: &[] };
        let settings = Settings {
            brackets: Brackets::Quote,
            is_setting: |_| false,
            simpler: |_| Vec::new(),
            single: Vec::new,
        };
        let words = features(&vocabulary, settings, &case, &BTreeSet::new(), false);
        assert_eq!(words.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn irrelevant_words_are_no_features() {
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
    fn relevant_words_are_features() {
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
