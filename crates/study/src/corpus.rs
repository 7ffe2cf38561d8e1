//! Known bugs: pairs that violate their relation, and the lines of their fixes.
//!
//! The format is drawn in `docs/corpus.md`.

use std::collections::BTreeSet;

use metacov_core::{Case, Input, Judge, Pair};
use serde::Deserialize;

/// A known bug.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Bug {
    /// Its name.
    pub id: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// The version of the engine that has it.
    pub version: String,
    /// How the results of the sides must agree.
    pub compare: Compare,
    /// The statements of the setup.
    pub setup: Vec<String>,
    /// The query of the first side.
    pub a: String,
    /// The query of the second side.
    pub b: String,
    /// The lines that the fix changed; empty if they are not known for this version.
    #[serde(default)]
    pub fix_lines: Vec<FixLines>,
}

impl Bug {
    /// Returns its pair.
    pub fn case(&self) -> Case {
        let side = |query: &String| vec![Input::of(query.clone())];
        Case {
            relation: String::new(),
            setup: self.setup.clone(),
            sides: Pair { a: side(&self.a), b: side(&self.b) },
            parts: Vec::new(),
            judge: self.compare.judge(),
        }
    }
}

/// How the results of two sides must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compare {
    /// The same rows, each equally often.
    Multiset,
    /// The same number; a missing one is zero.
    Value,
    /// The number of rows of the first side is the number that the second returns.
    RowCount,
}

impl Compare {
    /// Returns the corresponding judge.
    pub fn judge(self) -> Judge {
        match self {
            Compare::Multiset => Judge::Bag,
            Compare::Value => Judge::Number,
            Compare::RowCount => Judge::RowsCounted,
        }
    }
}

/// Lines that a fix changed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct FixLines {
    /// The kind of change.
    pub kind: Change,
    /// The first and the last line, in the file that is compiled.
    #[serde(rename = "amalgamation")]
    pub lines: [u32; 2],
}

/// How a fix changed lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It changed or removed them.
    Modified,
    /// It inserted lines between them.
    InsertionContext,
}

/// Why a corpus cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It does not have the documented format.
    #[error("{0}")]
    Malformed(#[from] serde_json::Error),
    /// Two bugs have the same name.
    #[error("two bugs have the id `{0}`")]
    Twice(String),
    /// A range of lines ends before it begins.
    #[error("bug `{0}`: lines {1} to {2} are not a range")]
    Backwards(String, u32, u32),
}

/// Reads the bugs of a corpus.
pub fn read(bytes: &[u8]) -> Result<Vec<Bug>, Error> {
    let bugs: Vec<Bug> = serde_json::from_slice(bytes)?;
    let mut ids = BTreeSet::new();
    for bug in &bugs {
        if !ids.insert(&bug.id) {
            return Err(Error::Twice(bug.id.clone()));
        }
        for FixLines { lines: [first, last], .. } in &bug.fix_lines {
            if last < first {
                return Err(Error::Backwards(bug.id.clone(), *first, *last));
            }
        }
    }
    Ok(bugs)
}
