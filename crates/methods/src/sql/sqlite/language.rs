//! The language of SQLite's shell: SQL, and commands that begin with a dot.

use super::query_plan;
use super::switches::SETTINGS;
use super::variants::EDITS;
use crate::sql::features::Vocabulary;
use crate::sql::language::Shell;

/// The language of SQLite's shell.
pub(super) const SHELL: Shell = Shell {
    heading: "-- To run it: sqlite3 < reproduce.sql\n.mode quote\n",
    label: [".print side ", ":"],
    resets: &[".testctrl optimizations 0"],
    settings: SETTINGS,
    vocabulary: Vocabulary {
        types: &["BLOB", "INT", "INTEGER", "NUMERIC", "REAL", "TEXT"],
        modules: &["dbstat", "fts3", "fts5", "json", "rtree"],
    },
    edits: EDITS,
    plan_digest: query_plan::digest,
};

#[cfg(test)]
mod tests {
    use metacov_core::{Case, Input, Judge, Language as _, Pair};

    use super::*;

    #[test]
    fn a_reproducer_is_a_script_for_the_shell() {
        let text = |text: &str| text.to_owned();
        let side = |mask: &str| {
            vec![Input {
                statements: vec![format!(".testctrl optimizations {mask}"), text("SELECT 1")],
            }]
        };
        let case = Case {
            relation: text("optimizer"),
            setup: vec![text("CREATE TABLE t0(c0)"), text("INSERT INTO t0 VALUES ('\"''')")],
            sides: Pair { a: side("0x0"), b: side("0x1") },
            parts: Vec::new(),
            judge: Judge::RowsCounted,
        };
        let script = SHELL.reproducer(&case, &[text("optimizer on sqlite@3.29.0")]);
        let lines: Vec<&str> = script.lines().collect();
        assert_eq!(
            lines,
            [
                "-- optimizer on sqlite@3.29.0",
                "-- To run it: sqlite3 < reproduce.sql",
                ".mode quote",
                "CREATE TABLE t0(c0);",
                "INSERT INTO t0 VALUES ('\"''');",
                "",
                ".print side a:",
                ".testctrl optimizations 0x0",
                "SELECT 1;",
                ".testctrl optimizations 0",
                "",
                ".print side b:",
                ".testctrl optimizations 0x1",
                "SELECT 1;",
                ".testctrl optimizations 0",
            ]
        );
    }
}
