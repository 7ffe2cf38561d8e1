//! Known bugs: pairs that violate their relation, and the lines of their fixes.
//!
//! The format is drawn in `docs/corpus.md`.

use std::collections::{BTreeMap, BTreeSet};

use metacov_core::{Case, Input, Judge, Language, Pair};
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
    #[serde(default, alias = "solver")]
    pub target: Option<String>,
    /// The version of the target that has it.
    pub version: String,
    /// The relation of its pair.
    #[serde(default)]
    pub relation: String,
    /// How the results of the sides must agree.
    #[serde(alias = "expected")]
    pub compare: Compare,
    /// The statements of the setup.
    #[serde(default)]
    pub setup: Vec<String>,
    /// The first side.
    pub a: Side,
    /// The second side.
    pub b: Side,
    /// The lines that the fix changed; empty if they are not known for this version.
    #[serde(default)]
    pub fix_lines: Vec<BugFix>,
}

impl Bug {
    /// Returns its pair, in the language of its target.
    pub fn case(&self, language: &dyn Language) -> Case {
        let split = |script: &str| language.statements(script);
        Case {
            relation: self.relation.clone(),
            setup: self.setup.clone(),
            sides: Pair { a: self.a.inputs(split), b: self.b.inputs(split) },
            parts: Vec::new(),
            judge: self.compare.judge(),
        }
    }

    /// Whether its sides differ in options of the target. Such sides run different code by
    /// construction.
    pub fn is_option_pair(&self) -> bool {
        self.relation == "option"
    }

    /// Whether its fix has many lines, so that MC overlaps with it easily.
    pub fn is_wide(&self) -> bool {
        let lines = |fix: &BugFix| fix.lines[1] - fix.lines[0] + 1;
        self.fix_lines.iter().map(lines).fold(0, u32::saturating_add) > WIDE_LINES
    }
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

/// The most lines of a fix that is not wide.
pub const WIDE_LINES: u32 = 40;

/// A side of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Side {
    /// A query.
    Query(String),
    /// A script for a solver.
    Script(Script),
    /// Several scripts, whose coverage is united.
    Scripts(Vec<Script>),
}

/// A script for a solver.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Script {
    /// Its text.
    pub smt2: String,
    /// Options of the solver, as on its command line: `NAME=VALUE` or `--NAME`.
    #[serde(default)]
    pub options: Vec<String>,
}

impl Side {
    /// Its inputs. `split` returns the statements of a script.
    fn inputs(&self, split: impl Fn(&str) -> Vec<String>) -> Vec<Input> {
        let input = |script: &Script| {
            let options = script.options.iter().map(|option| setting(option));
            Input { statements: options.chain(split(&script.smt2)).collect() }
        };
        match self {
            Side::Query(query) => vec![Input::of(query.clone())],
            Side::Script(script) => vec![input(script)],
            Side::Scripts(scripts) => scripts.iter().map(input).collect(),
        }
    }
}

/// The statement that sets an option of a solver.
fn setting(option: &str) -> String {
    let option = option.trim_start_matches('-');
    let (name, value) = option.split_once('=').unwrap_or((option, "true"));
    format!("(set-option :{name} {value})")
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
    /// A solver must answer `sat` to all scripts.
    Sat,
    /// A solver must answer `unsat` to all scripts.
    Unsat,
}

impl Compare {
    /// Returns the corresponding judge.
    pub fn judge(self) -> Judge {
        match self {
            Compare::Multiset => Judge::Bag,
            Compare::Value => Judge::Number,
            Compare::RowCount => Judge::RowsCounted,
            Compare::Sat => Judge::Sat,
            Compare::Unsat => Judge::Unsat,
        }
    }
}

/// Lines that the fix of a bug changed, as a corpus has them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "FixFields")]
pub struct BugFix {
    /// The kind of change.
    pub kind: Change,
    /// The file; none if the target is compiled from one.
    pub file: Option<String>,
    /// The first and the last line.
    pub lines: [u32; 2],
}

/// The fields of a [`BugFix`].
#[derive(Deserialize)]
struct FixFields {
    kind: Change,
    /// Lines of the only file that is compiled. `file` is then the one that it was made from.
    amalgamation: Option<[u32; 2]>,
    lines: Option<[u32; 2]>,
    file: Option<String>,
    shipped_file: Option<String>,
}

impl TryFrom<FixFields> for BugFix {
    type Error = &'static str;

    fn try_from(fields: FixFields) -> Result<Self, Self::Error> {
        let FixFields { kind, amalgamation, lines, file, shipped_file } = fields;
        let file = shipped_file.or(file.filter(|_| amalgamation.is_none()));
        let lines = amalgamation.or(lines).ok_or("missing field `lines`")?;
        Ok(BugFix { kind, file, lines })
    }
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
                {"kind": "modified", "amalgamation": [1, 2], "file": "src/part.c"},
                {"kind": "modified", "shipped_file": "src/a.cpp", "lines": [3, 4]},
                {"kind": "modified", "file": "src/b.cpp", "lines": [5, 44]}]"#);
        assert!(fixes.is_wide());
        let fixes = fixes.fixes("main.c");
        let found: Vec<_> = fixes.iter().map(|fix| (&*fix.path, fix.lines[0].lines)).collect();
        assert_eq!(found, [("main.c", [1, 2]), ("src/a.cpp", [3, 4]), ("src/b.cpp", [5, 44])]);
    }

    #[test]
    fn a_bug_of_a_solver_has_scripts_and_an_expected_answer() {
        let text = r#"[{"id": "z3-1", "solver": "z3", "version": "4.8.6", "expected": "unsat",
            "relation": "option", "a": [{"options": ["smt.x=y", "--z"], "smt2": "(check-sat)"}, {"smt2": ""}],
            "b": {"options": [], "smt2": "(assert false)\n(check-sat)"}}]"#;
        let bug = read(text.as_bytes()).unwrap().remove(0);
        assert!(bug.is_option_pair() && !bug.is_wide());
        let split = |script: &str| script.lines().map(str::to_owned).collect();
        let a = ["(set-option :smt.x y)", "(set-option :z true)", "(check-sat)"].map(str::to_owned);
        assert_eq!(bug.a.inputs(split), [Input::from(a.to_vec()), Input::default()]);
        assert_eq!(bug.b.inputs(split)[0].statements, ["(assert false)", "(check-sat)"]);
        assert_eq!(bug.compare.judge(), Judge::Unsat);
    }

    #[test]
    fn a_fix_without_lines_is_refused() {
        let text = r#"[{"id": "x", "version": "1", "compare": "value", "a": "", "b": "",
            "fix_lines": [{"kind": "modified", "file": "a.c"}]}]"#;
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("missing field `lines`"), "{error}");
    }
}
