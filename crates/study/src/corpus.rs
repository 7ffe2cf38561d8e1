//! Known bugs: pairs that violate their relation, and the lines of their fixes.
//!
//! The format is drawn in `docs/corpus.md`.

use std::collections::{BTreeMap, BTreeSet};

use metacov_core::{Case, Input, Judge, Pair};
use serde::Deserialize;

use crate::overlap::FileFix;

/// A known bug.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Bug {
    /// Its name.
    pub id: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// The target that has it. If it is missing, the id may begin with it.
    #[serde(default)]
    pub target: Option<String>,
    /// The version of the target that has it.
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
    pub fix_lines: Vec<BugFix>,
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

impl Bug {
    /// Returns the target that has it, among these: the one that it names, or that its id begins
    /// with (`duckdb-489`), or SQLite.
    pub fn target<'b>(&'b self, mut known: impl Iterator<Item = &'b str>) -> &'b str {
        let of_id = || {
            let (name, _) = self.id.split_once('-')?;
            known.find(|known| *known == name)
        };
        self.target.as_deref().or_else(of_id).unwrap_or("sqlite")
    }

    /// Returns the lines of its fix by file. Those that name none are in `main`.
    pub fn fixes(&self, main: &str) -> Vec<FileFix> {
        let mut files: BTreeMap<&str, Vec<FixLines>> = BTreeMap::new();
        for BugFix { kind, file, lines } in &self.fix_lines {
            let of_file = files.entry(file.as_deref().unwrap_or(main)).or_default();
            of_file.push(FixLines { kind: *kind, lines: *lines });
        }
        let fix = |(path, lines): (&str, _)| FileFix { path: path.to_owned(), lines };
        files.into_iter().map(fix).collect()
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

/// Lines that the fix of a bug changed, as a corpus has them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct BugFix {
    /// The kind of change.
    pub kind: Change,
    /// The file; none if the target is compiled from one.
    #[serde(rename = "shipped_file", default)]
    pub file: Option<String>,
    /// The first and the last line.
    #[serde(rename = "amalgamation", alias = "lines")]
    pub lines: [u32; 2],
}

/// Lines of a file that a fix changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixLines {
    /// The kind of change.
    pub kind: Change,
    /// The first and the last line.
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
        for BugFix { lines: [first, last], .. } in &bug.fix_lines {
            if last < first {
                return Err(Error::Backwards(bug.id.clone(), *first, *last));
            }
        }
    }
    Ok(bugs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bug_names_its_target_and_its_files_or_neither() {
        let bug = |more: &str| {
            let text = format!(
                r#"[{{"version": "1", "compare": "multiset", "setup": [], "a": "", "b": "", {more}}}]"#
            );
            read(text.as_bytes()).unwrap().remove(0)
        };
        let known = || ["sqlite", "duckdb"].into_iter();
        assert_eq!(bug(r#""id": "duckdb-1""#).target(known()), "duckdb");
        assert_eq!(bug(r#""id": "other-1""#).target(known()), "sqlite");
        assert_eq!(
            bug(r#""id": "duckdb-1", "target": "calculator""#).target(known()),
            "calculator"
        );
        let fixes = bug(r#""id": "x", "fix_lines": [
                {"kind": "modified", "amalgamation": [1, 2]},
                {"kind": "modified", "shipped_file": "src/a.cpp", "lines": [3, 4]}]"#);
        let fixes = fixes.fixes("main.c");
        let found: Vec<_> = fixes.iter().map(|fix| (&*fix.path, fix.lines[0].lines)).collect();
        assert_eq!(found, [("main.c", [1, 2]), ("src/a.cpp", [3, 4])]);
    }
}
