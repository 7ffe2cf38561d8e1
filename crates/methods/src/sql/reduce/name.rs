//! Renumbers names.

use std::collections::BTreeMap;

use crate::sql::token::{Brackets, Kind, pretty};
use metacov_core::{Case, Pair};

/// Built-in names that look like numbered ones.
const FIXED: [&str; 8] =
    ["log2", "log10", "atan2", "fts3", "fts4", "fts5", "rtree_i32", "unicode61"];

/// The case with its numbered names (`t3`, `c7`) counted from zero, in the order in which they
/// appear.
pub(crate) fn renumbered(case: &Case, brackets: Brackets) -> Case {
    let mut names = Names::default();
    let mut renamed = case.clone();
    let Pair { a, b } = &mut renamed.sides;
    let sides = a.iter_mut().chain(b).flat_map(|input| &mut input.statements);
    for text in renamed.setup.iter_mut().chain(sides).chain(&mut renamed.parts) {
        if !text.starts_with('.') {
            *text = names.rename(text, brackets);
        }
    }
    renamed
}

/// Numbers of names, by prefix.
#[derive(Default)]
struct Names {
    known: BTreeMap<String, BTreeMap<String, usize>>,
}

impl Names {
    fn rename(&mut self, text: &str, brackets: Brackets) -> String {
        let mut words = brackets.tokens(text);
        for word in words.iter_mut().filter(|word| word.kind == Kind::Word) {
            let parts: Vec<String> = word.text.split('.').map(|part| self.name(part)).collect();
            word.text = parts.join(".");
        }
        pretty(&words)
    }

    fn name(&mut self, name: &str) -> String {
        let prefix = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let number = &name[prefix.len()..];
        let is_numbered = !number.is_empty()
            && !prefix.is_empty()
            && prefix.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
            && !FIXED.contains(&name);
        if !is_numbered {
            return name.to_owned();
        }
        let known = self.known.entry(prefix.to_owned()).or_default();
        let next = known.len();
        let number = known.entry(number.to_owned()).or_insert(next);
        format!("{prefix}{number}")
    }
}
