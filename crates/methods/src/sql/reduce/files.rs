//! The files that statements name. No step may change them: a shorter name is that of another file,
//! and running the candidate would create or overwrite it.

use std::collections::BTreeSet;

use crate::sql::token::{Brackets, Token, pretty};
use metacov_core::Case;

/// A database that is not a file.
const MEMORY: &str = "':memory:'";
/// Functions that take the name of a file.
const FUNCTIONS: &[&str] = &["edit", "load_extension", "readfile", "writefile"];

/// The files that a case names, and `:memory:`.
pub(super) fn allowed(case: &Case, brackets: Brackets) -> BTreeSet<String> {
    files(case, brackets).chain([MEMORY.to_owned()]).collect()
}

/// Whether a case names only these files.
pub(super) fn are_allowed(case: &Case, brackets: Brackets, allowed: &BTreeSet<String>) -> bool {
    files(case, brackets).all(|file| allowed.contains(&file))
}

fn files(case: &Case, brackets: Brackets) -> impl Iterator<Item = String> {
    case.statements().flat_map(move |statement| in_statement(&brackets.tokens(statement)))
}

/// The text in each position where the name of a file is expected; it may be an expression.
fn in_statement(words: &[Token]) -> Vec<String> {
    let is = |at: usize, keyword: &str| words.get(at).is_some_and(|word| word.is(keyword));
    let up_to = |start: usize, end: &str| {
        let rest = words.get(start..).unwrap_or_default();
        let length = rest.iter().position(|word| word.is(end)).unwrap_or(rest.len());
        pretty(&rest[..length])
    };
    let mut files = Vec::new();
    if is(0, "ATTACH") {
        files.push(up_to(if is(1, "DATABASE") { 2 } else { 1 }, "AS"));
    }
    if is(0, "VACUUM")
        && let Some(into) = words.iter().position(|word| word.is("INTO"))
    {
        files.push(up_to(into + 1, ";"));
    }
    for (at, word) in words.iter().enumerate() {
        let is_called = FUNCTIONS.iter().any(|name| word.is(name)) && is(at + 1, "(");
        // The rest of the statement: brackets are not parsed, so nothing after this point is edited
        // either.
        files.extend(is_called.then(|| up_to(at + 2, ";")));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(statement: &str, expected: &[&str]) {
        assert_eq!(in_statement(&Brackets::Quote.tokens(statement)), expected, "{statement}");
    }

    #[test]
    fn file_names_are_found() {
        check("ATTACH ':memory:' AS other", &["':memory:'"]);
        check("attach database 'a' || 'b' as other", &["'a' || 'b'"]);
        check("ATTACH 'a'", &["'a'"]);
        check("VACUUM main INTO 'copy'", &["'copy'"]);
        check("SELECT writefile('a', 1)", &["'a', 1)"]);
        check("SELECT edit, 'ATTACH' FROM t0", &[]);
        check("VACUUM", &[]);
    }
}
