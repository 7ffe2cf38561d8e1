//! Variants of a case: one small edit away, in the database, the queries or the optimiser's
//! switches.

mod edit;

use std::collections::BTreeSet;

use metacov_core::{Case, Variant};

use super::switches;
use crate::sql::sides;
use crate::sql::token::{Token, text, tokens};
use edit::{Edit, edits, is_name};

/// Statements that may be appended to a setup.
const ADDITIONS: &[&str] = &[
    "ANALYZE",
    "REINDEX",
    "VACUUM",
    "PRAGMA automatic_index = 0",
    "PRAGMA case_sensitive_like = 1",
    "PRAGMA reverse_unordered_selects = 1",
];

/// How many bits the optimiser has.
const SWITCHES: u32 = 24;

/// The distinct variants of a case that are one small edit away: at most `most`, evenly from all
/// parts. Random databases have tens of thousands.
pub(super) fn variants(case: &Case, most: usize) -> Vec<Variant> {
    let setup: Vec<Vec<Token>> = case.setup.iter().map(|statement| tokens(statement)).collect();
    let texts = sides::statements(case);
    let sides: [Vec<Vec<Token>>; 2] =
        texts.each_ref().map(|side| side.iter().map(|statement| tokens(statement)).collect());
    let all = || setup.iter().chain(sides.iter().flatten());
    let names: BTreeSet<Token> = all().flatten().filter(|token| is_name(token)).cloned().collect();
    let mut variants = Vec::new();
    setup_variants(case, &setup, &names, &mut variants);
    side_variants(case, &sides, &names, &mut variants);
    let masks = (0..SWITCHES).map(|bit| 1 << bit).chain([u32::MAX]);
    for mask in masks {
        let switched = |side: &Vec<String>| {
            std::iter::once(switches::statement(mask)).chain(side.iter().cloned()).collect()
        };
        if texts.iter().flatten().all(|statement| !statement.starts_with('.')) {
            variants.push(on_same_setup(case, texts.each_ref().map(switched)));
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
        for edit in edits(statement, names) {
            let mut statements = case.setup.clone();
            statements[at] = text(&applied(statement, &edit));
            add(statements, same.clone());
        }
    }
    for addition in ADDITIONS {
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
    sides: &[Vec<Vec<Token>>; 2],
    names: &BTreeSet<Token>,
    variants: &mut Vec<Variant>,
) {
    let mut done: BTreeSet<(Vec<Token>, Vec<Token>)> = BTreeSet::new();
    for statement in sides.iter().flatten() {
        for edit in edits(statement, names) {
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
