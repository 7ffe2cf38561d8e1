//! Small edits of a statement, word by word.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Edits;
use crate::sql::token::{Kind, Token, tokens};

/// The most words that are removed at once.
const STRETCH_MAX: usize = 8;

/// Words that are not names, as far as edits need to know.
const KEYWORDS: &[&str] = &[
    "ALL",
    "ANALYZE",
    "AND",
    "AS",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "CHECK",
    "COLLATE",
    "CREATE",
    "CROSS",
    "DEFAULT",
    "DELETE",
    "DISTINCT",
    "ELSE",
    "END",
    "EXISTS",
    "FROM",
    "GLOB",
    "GROUP",
    "HAVING",
    "IN",
    "INDEX",
    "INSERT",
    "INTO",
    "IS",
    "ISNULL",
    "JOIN",
    "KEY",
    "LEFT",
    "LIKE",
    "NOT",
    "NOTNULL",
    "ON",
    "OR",
    "ORDER",
    "PRIMARY",
    "ROWID",
    "SELECT",
    "SET",
    "TABLE",
    "THEN",
    "UNION",
    "UNIQUE",
    "UPDATE",
    "USING",
    "VALUES",
    "VIEW",
    "VIRTUAL",
    "WHEN",
    "WHERE",
    "WITHOUT",
    "IF",
    "REPLACE",
    "IGNORE",
    "CONFLICT",
    "INTERSECT",
    "EXCEPT",
    "GENERATED",
    "ALWAYS",
];

/// A replacement of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The words to replace.
    pub words: Range<usize>,
    /// The new words.
    pub instead: Vec<Token>,
}

impl Edits {
    /// All small edits of a statement. `names` may replace each other.
    pub(super) fn of(&self, statement: &[Token], names: &BTreeSet<Token>) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (at, token) in statement.iter().enumerate() {
            let mut replace =
                |text: &str| edits.push(Edit { words: at..at + 1, instead: tokens(text) });
            for class in self.classes.iter().filter(|class| class.iter().any(|word| token.is(word)))
            {
                class.iter().filter(|word| !token.is(word)).for_each(|word| replace(word));
            }
            let is_value =
                matches!(token.kind, Kind::Number | Kind::Text | Kind::Blob) || token.is("NULL");
            if is_value {
                self.values
                    .iter()
                    .filter(|value| !token.is(value))
                    .for_each(|value| replace(value));
            }
            let is_name = is_name(self, token);
            if is_name {
                let others = names.iter().filter(|name| *name != token);
                others.for_each(|name| replace(&name.text));
            }
            if is_name || is_value {
                for wrapper in self.wrappers {
                    replace(&wrapper.replace('?', &token.text));
                }
            }
        }
        let groups: Vec<Range<usize>> = groups(statement);
        for stretch in stretches(statement) {
            edits.push(Edit { words: stretch, instead: Vec::new() });
        }
        for group in groups {
            for value in ["NULL", "0", "1"] {
                edits.push(Edit { words: group.clone(), instead: tokens(value) });
            }
            let mut twice = statement[group.clone()].to_vec();
            twice.extend(tokens(","));
            twice.extend_from_slice(&statement[group.clone()]);
            edits.push(Edit { words: group, instead: twice });
        }
        let mut seen = BTreeSet::new();
        edits.retain(|Edit { words, instead }| {
            statement[words.clone()] != *instead
                && seen.insert((words.start, words.end, instead.clone()))
        });
        edits
    }
}

/// Whether a word may be the name of something.
pub(super) fn is_name(edits: &Edits, token: &Token) -> bool {
    let is_of_a_class = edits.classes.iter().any(|class| class.iter().any(|word| token.is(word)));
    token.kind == Kind::Word && !is_of_a_class && !KEYWORDS.iter().any(|word| token.is(word))
}

/// Stretches of balanced parentheses.
fn stretches(statement: &[Token]) -> impl Iterator<Item = Range<usize>> {
    let ends = |start: usize| {
        let mut depth = 0i32;
        let mut ends = Vec::new();
        for (at, token) in statement.iter().enumerate().skip(start) {
            depth += i32::from(token.text == "(") - i32::from(token.text == ")");
            if depth < 0 {
                break;
            }
            if depth == 0 {
                ends.push(at + 1);
            }
            if ends.len() == STRETCH_MAX {
                break;
            }
        }
        ends
    };
    (0..statement.len()).flat_map(move |start| ends(start).into_iter().map(move |end| start..end))
}

/// Ranges in parentheses, including the parentheses.
fn groups(statement: &[Token]) -> Vec<Range<usize>> {
    let mut open = Vec::new();
    let mut groups = Vec::new();
    for (at, token) in statement.iter().enumerate() {
        match token.text.as_str() {
            "(" => open.push(at),
            ")" => groups.extend(open.pop().map(|start| start..at + 1)),
            _ => {}
        }
    }
    groups
}
