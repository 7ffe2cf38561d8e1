//! A case during reduction: its sides, split into parts and the text between them.

use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::FixedState;

use super::edit::is_operand;
use crate::sql::settings::Settings;
use crate::sql::sides;
use metacov_core::Case;

/// A case whose sides are split into parts and the text between them.
#[derive(Clone)]
pub(super) struct Draft {
    pub(super) setup: Vec<String>,
    sides: [Vec<Vec<Piece>>; 2],
    pub(super) parts: Vec<String>,
    /// Whether each part is a single operand and must stay one: the surrounding operators may bind
    /// closer than those inside.
    are_operands: Vec<bool>,
    original: Case,
    pub(super) settings: Settings,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Part(usize),
}

/// A step to a smaller case.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// Replaces the setup.
    Setup(Vec<String>),
    /// Replaces a statement of the setup.
    Statement(usize, String),
    /// Replaces a part in all its places.
    Part(usize, String),
    /// Removes the clause that consists of a part, if the part is used nowhere else.
    Clause(usize),
    /// Replaces the setting of the second side.
    Setting(String),
}

impl Draft {
    pub(super) fn of(case: &Case, settings: Settings) -> Self {
        // A part that contains another one is longer, so longer parts come first.
        let mut order: Vec<usize> = (0..case.parts.len()).collect();
        order.sort_by_key(|part| std::cmp::Reverse(case.parts[*part].len()));
        let pieces = |statement: &String| {
            let mut pieces = vec![Piece::Text(statement.clone())];
            if !(settings.is_setting)(statement) {
                for part in &order {
                    let cut = |piece| match piece {
                        Piece::Text(text) => cut(&text, &case.parts[*part], *part),
                        piece @ Piece::Part(_) => vec![piece],
                    };
                    pieces = pieces.into_iter().flat_map(cut).collect();
                }
            }
            pieces
        };
        let sides = sides::statements(case).map(|side| side.iter().map(pieces).collect());
        let (setup, parts) = (case.setup.clone(), case.parts.clone());
        let are_operands =
            parts.iter().map(|part| is_operand(&settings.brackets.tokens(part))).collect();
        Draft { setup, sides, parts, are_operands, original: case.clone(), settings }
    }

    /// Returns the case.
    pub(super) fn case(&self) -> Case {
        let text = |pieces: &Vec<Piece>| {
            let texts = pieces.iter().map(|piece| match piece {
                Piece::Text(text) => text.as_str(),
                Piece::Part(part) => self.parts[*part].as_str(),
            });
            texts.collect::<String>()
        };
        let sides = self.sides.each_ref().map(|side| side.iter().map(text).collect());
        let (setup, mut parts) = (self.setup.clone(), self.parts.clone());
        // Without the parts whose clause was removed.
        parts.retain(|part| !part.is_empty());
        Case { setup, sides: sides::of(sides), parts, ..self.original.clone() }
    }

    /// Returns the draft after a step, if the step is possible.
    pub(super) fn changed(&self, change: &Change) -> Option<Self> {
        let mut draft = self.clone();
        match change {
            Change::Setup(setup) => draft.setup.clone_from(setup),
            Change::Statement(at, text) => draft.setup.get_mut(*at)?.clone_from(text),
            Change::Part(at, text)
                if self.are_operands[*at] && !is_operand(&self.settings.brackets.tokens(text)) =>
            {
                draft.parts[*at] = format!("({text})");
            }
            Change::Part(at, text) => draft.parts[*at].clone_from(text),
            Change::Clause(part) => draft.drop_clause(*part)?,
            Change::Setting(text) => {
                let settings = draft.settings;
                let pieces = draft.sides[1].iter_mut().flatten();
                let mut found = pieces.filter_map(|piece| match piece {
                    Piece::Text(text) if (settings.is_setting)(text) => Some(text),
                    _ => None,
                });
                found.next()?.clone_from(text);
            }
        }
        Some(draft)
    }

    /// Settings for the second side that change less than the one that it has.
    pub(super) fn simpler_settings(&self) -> Vec<String> {
        let mut texts = self.sides[1].iter().flatten().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Part(_) => None,
        });
        let setting = texts.find(|text| (self.settings.is_setting)(text));
        setting.map(self.settings.simpler).unwrap_or_default()
    }

    /// Removes a part and the keyword in front of it, if the keyword is the same everywhere.
    fn drop_clause(&mut self, part: usize) -> Option<()> {
        let mut places = 0;
        let statements = self.sides.iter_mut().flatten();
        for pieces in statements {
            let mut kept: Vec<Piece> = Vec::new();
            for piece in std::mem::take(pieces) {
                match (kept.last_mut(), &piece) {
                    (Some(Piece::Text(before)), Piece::Part(at)) if *at == part => {
                        let clause = [" ORDER BY ", " GROUP BY ", " WHERE "]
                            .into_iter()
                            .find(|clause| before.ends_with(clause))?;
                        before.truncate(before.len() - clause.len());
                        places += 1;
                    }
                    (_, Piece::Part(at)) if *at == part => return None,
                    _ => kept.push(piece),
                }
            }
            *pieces = kept;
        }
        self.parts[part].clear();
        (places > 0).then_some(())
    }
}

/// A hash of all text of a case.
pub(super) fn digest(case: &Case) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    let [a, b] = sides::statements(case);
    for statements in [&case.setup, &a, &b] {
        hasher.write_usize(statements.len());
        for statement in statements {
            hasher.write(statement.as_bytes());
            hasher.write_usize(statement.len());
        }
    }
    hasher.finish()
}

/// A text, split where a part occurs as whole words.
fn cut(text: &str, part: &str, number: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = 0;
    if !part.is_empty() {
        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '$');
        let borders = |outer: Option<char>, inner: Option<char>| {
            !(outer.is_some_and(is_word) && inner.is_some_and(is_word))
        };
        let mut from = 0;
        while let Some(at) = text[from..].find(part).map(|at| at + from) {
            let end = at + part.len();
            let before = borders(text[..at].chars().next_back(), part.chars().next());
            let after = borders(text[end..].chars().next(), part.chars().next_back());
            if before && after {
                pieces.push(Piece::Text(text[rest..at].to_owned()));
                pieces.push(Piece::Part(number));
                rest = end;
                from = end;
            } else {
                from = at + part.chars().next().map_or(1, char::len_utf8);
            }
        }
    }
    pieces.push(Piece::Text(text[rest..].to_owned()));
    pieces
}
