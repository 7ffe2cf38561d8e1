//! The files that statements name, which no step may change: a smaller name is that of another file, and running the
//! candidate would make it, or write over somebody's own.

use std::collections::BTreeSet;

use crate::sql::token::{Token, pretty, tokens};
use metacov_core::Case;

/// A database that is no file.
const MEMORY: &str = "':memory:'";
/// Functions that take the name of a file.
const FUNCTIONS: &[&str] = &["edit", "load_extension", "readfile", "writefile"];

/// The files that a case names, and the one name that is none.
pub(super) fn allowed(case: &Case) -> BTreeSet<String> {
    files(case).chain([MEMORY.to_owned()]).collect()
}

/// Whether a case names no files but these.
pub(super) fn are_allowed(case: &Case, allowed: &BTreeSet<String>) -> bool {
    files(case).all(|file| allowed.contains(&file))
}

fn files(case: &Case) -> impl Iterator<Item = String> {
    case.statements().flat_map(|statement| in_statement(&tokens(statement)))
}

/// What stands where the name of a file is expected, whatever it is: an expression may be one.
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
        // All that follows, as brackets inside are of no interest: nothing behind it is edited either.
        files.extend(is_called.then(|| up_to(at + 2, ";")));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(statement: &str, expected: &[&str]) {
        assert_eq!(in_statement(&tokens(statement)), expected, "{statement}");
    }

    #[test]
    fn names_of_files_are_known() {
        check("ATTACH ':memory:' AS other", &["':memory:'"]);
        check("attach database 'a' || 'b' as other", &["'a' || 'b'"]);
        check("ATTACH 'a'", &["'a'"]);
        check("VACUUM main INTO 'copy'", &["'copy'"]);
        check("SELECT writefile('a', 1)", &["'a', 1)"]);
        check("SELECT edit, 'ATTACH' FROM t0", &[]);
        check("VACUUM", &[]);
    }
}
