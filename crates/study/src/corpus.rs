//! Known bugs: pairs that violate their relation, and the lines that were changed to fix them.
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
    /// What it is about.
    #[serde(default)]
    pub title: String,
    /// The version of the engine that has it.
    pub version: String,
    /// How the results of the sides must agree.
    pub compare: Compare,
    /// What makes the database.
    pub setup: Vec<String>,
    /// The query of the first side.
    pub a: String,
    /// The query of the second side.
    pub b: String,
    /// What the fix changed; empty if that is not known for this version.
    #[serde(default)]
    pub fix_lines: Vec<FixLines>,
}

impl Bug {
    /// Its pair.
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
    /// The same rows, each as often.
    Multiset,
    /// The same number; none is zero.
    Value,
    /// The first side has as many rows as the second's number says.
    RowCount,
}

impl Compare {
    /// The judge that it stands for.
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
    /// What was done with them.
    pub kind: Change,
    /// The first and the last of them, in the file that is compiled.
    #[serde(rename = "amalgamation")]
    pub lines: [u32; 2],
}

/// What a fix did with lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It changed or removed them.
    Modified,
    /// It put something between them.
    InsertionContext,
}

/// Why a corpus cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not what the documentation says.
    #[error("{0}")]
    Malformed(#[from] serde_json::Error),
    /// A name stands for two bugs.
    #[error("two bugs have the id `{0}`")]
    Twice(String),
    /// Lines that end before they begin.
    #[error("bug `{0}`: lines {1} to {2} are not a range")]
    Backwards(String, u32, u32),
}

/// The bugs of a corpus.
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
