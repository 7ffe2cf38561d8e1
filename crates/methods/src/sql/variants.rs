//! Variants of a case: one small edit away, in the database, the queries or the settings.

mod edit;

use std::collections::BTreeSet;

use metacov_core::{Case, Variant};

use super::settings::Settings;
use super::sides;
use super::token::{Token, text};
use edit::{Edit, is_name};

/// The edits of a dialect.
pub(crate) struct Edits {
    /// Words that may replace each other.
    pub(crate) classes: &'static [&'static [&'static str]],
    /// Replacements for a value.
    pub(crate) values: &'static [&'static str],
    /// Wrappers for an operand, which is `?` here.
    pub(crate) wrappers: &'static [&'static str],
    /// Statements that may be appended to a setup.
    pub(crate) additions: &'static [&'static str],
}

/// The distinct variants of a case that are one small edit away: at most `most`, evenly from all
/// parts. Random databases have tens of thousands.
pub(super) fn variants(
    case: &Case,
    edits: &Edits,
    settings: Settings,
    most: usize,
) -> Vec<Variant> {
    let tokens = |statement: &String| settings.brackets.tokens(statement);
    let setup: Vec<Vec<Token>> = case.setup.iter().map(tokens).collect();
    let texts = sides::statements(case);
    let sides: [Vec<Vec<Token>>; 2] =
        texts.each_ref().map(|side| side.iter().map(tokens).collect());
    let all = || setup.iter().chain(sides.iter().flatten()).flatten();
    let names: BTreeSet<Token> = all().filter(|token| is_name(edits, token)).cloned().collect();
    let mut variants = Vec::new();
    setup_variants(case, edits, &setup, &names, &mut variants);
    side_variants(case, edits, &sides, &names, &mut variants);
    if !texts.iter().flatten().any(|statement| (settings.is_setting)(statement)) {
        for setting in (settings.single)() {
            let set = |side: &Vec<String>| [std::slice::from_ref(&setting), &side[..]].concat();
            variants.push(on_same_setup(case, texts.each_ref().map(set)));
        }
    }
    let mut seen = BTreeSet::new();
    variants.retain(|variant| seen.insert((variant.setup.clone(), variant.sides.clone())));
    let all = variants.len();
    let is_kept = |at: usize| all <= most || at * most / all != (at + 1) * most / all;
    let kept = variants.into_iter().enumerate().filter(|(at, _)| is_kept(*at));
    kept.map(|(_, variant)| variant).collect()
}

/// A variant with the same database.
fn on_same_setup(case: &Case, sides: [Vec<String>; 2]) -> Variant {
    let origins = (0..case.setup.len()).map(Some).collect();
    Variant { setup: case.setup.clone(), origins, sides: sides::of(sides) }
}

fn setup_variants(
    case: &Case,
    edits: &Edits,
    setup: &[Vec<Token>],
    names: &BTreeSet<Token>,
    variants: &mut Vec<Variant>,
) {
    let mut add = |statements: Vec<String>, origins: Vec<Option<usize>>| {
        variants.push(Variant { setup: statements, origins, sides: case.sides.clone() });
    };
    let same: Vec<Option<usize>> = (0..setup.len()).map(Some).collect();
    for (at, statement) in setup.iter().enumerate() {
        let (mut statements, mut origins) = (case.setup.clone(), same.clone());
        statements.remove(at);
        origins.remove(at);
        add(statements, origins);
        let (mut statements, mut origins) = (case.setup.clone(), same.clone());
        statements.insert(at, case.setup[at].clone());
        origins.insert(at, None);
        add(statements, origins);
        for edit in edits.of(statement, names) {
            let mut statements = case.setup.clone();
            statements[at] = text(&applied(statement, &edit));
            add(statements, same.clone());
        }
    }
    for addition in edits.additions {
        let (mut statements, mut origins) = (case.setup.clone(), same.clone());
        statements.push((*addition).to_owned());
        origins.push(None);
        add(statements, origins);
    }
}

fn applied(statement: &[Token], edit: &Edit) -> Vec<Token> {
    let (before, after) = (&statement[..edit.words.start], &statement[edit.words.end..]);
    [before, &edit.instead, after].concat()
}

/// Text that occurs in both sides, or several times in one, is the same predicate: it is edited
/// everywhere, or the sides would no longer belong together.
fn side_variants(
    case: &Case,
    edits: &Edits,
    sides: &[Vec<Vec<Token>>; 2],
    names: &BTreeSet<Token>,
    variants: &mut Vec<Variant>,
) {
    let mut done: BTreeSet<(Vec<Token>, Vec<Token>)> = BTreeSet::new();
    for statement in sides.iter().flatten() {
        for edit in edits.of(statement, names) {
            let words = statement[edit.words.clone()].to_vec();
            let count = |side: &Vec<Vec<Token>>| {
                side.iter().map(|statement| occurrences(statement, &words).len()).sum::<usize>()
            };
            let [a, b] = sides.each_ref().map(count);
            let is_shared = a > 0 && b > 0 || a > 1 || b > 1;
            if !is_shared || !done.insert((words.clone(), edit.instead.clone())) {
                continue;
            }
            let edited = |side: &Vec<Vec<Token>>| {
                let everywhere =
                    |statement: &Vec<Token>| replaced(statement, &words, &edit.instead);
                side.iter().map(|statement| text(&everywhere(statement))).collect()
            };
            variants.push(on_same_setup(case, sides.each_ref().map(edited)));
        }
    }
}

/// The positions of a sequence of words, without overlaps.
fn occurrences(statement: &[Token], words: &[Token]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for at in 0..statement.len() {
        let is_free = found.last().is_none_or(|last| last + words.len() <= at);
        if is_free && statement[at..].starts_with(words) {
            found.push(at);
        }
    }
    found
}

fn replaced(statement: &[Token], words: &[Token], instead: &[Token]) -> Vec<Token> {
    let mut result = Vec::new();
    let mut rest = 0;
    for at in occurrences(statement, words) {
        result.extend_from_slice(&statement[rest..at]);
        result.extend_from_slice(instead);
        rest = at + words.len();
    }
    result.extend_from_slice(&statement[rest..]);
    result
}
