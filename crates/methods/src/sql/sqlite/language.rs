//! The language of SQLite's shell: SQL, and commands that begin with a dot.

use std::collections::BTreeSet;

use metacov_core::{
    Case, Effort, Language, Outcome, Reduction, ReductionStopped, StillFails, Variant,
};

use super::{query_plan, variants};
use crate::sql::features::{Vocabulary, features};
use crate::sql::normal_form::normal_form;
use crate::sql::reduce::{reduce, reduce_queries};
use crate::sql::token::{statements, tokens};

/// The language of SQLite's shell.
pub(super) struct Shell;

const VOCABULARY: Vocabulary = Vocabulary {
    types: &["BLOB", "INT", "INTEGER", "NUMERIC", "REAL", "TEXT"],
    modules: &["dbstat", "fts3", "fts5", "json", "rtree"],
    is_setting: |statement| statement.starts_with('.'),
};

impl Language for Shell {
    fn extension(&self) -> &'static str {
        "sql"
    }

    fn script(&self, statements: &[String]) -> String {
        let mut text = String::new();
        for statement in statements {
            text.push_str(statement);
            // A command of the shell ends at the end of its line.
            text.push_str(if self.is_setting(statement) { "\n" } else { ";\n" });
        }
        text
    }

    fn statements(&self, script: &str) -> Vec<String> {
        statements(script)
    }

    fn words(&self, statement: &str) -> Vec<String> {
        tokens(statement).into_iter().map(|token| token.text).collect()
    }

    fn is_setting(&self, statement: &str) -> bool {
        statement.starts_with('.')
    }

    fn reproducer(&self, case: &Case, heading: &[String]) -> String {
        let heading = heading.iter().flat_map(|line| ["-- ", line, "\n"]);
        let mut text: String = heading.collect();
        text.push_str("-- To run it: sqlite3 < reproduce.sql\n.mode quote\n");
        text.push_str(&self.script(&case.setup));
        for (name, side) in [("a", &case.sides.a), ("b", &case.sides.b)] {
            text.extend(["\n.print side ", name, ":\n"]);
            for input in side {
                text.push_str(&self.script(&input.statements));
                if input.statements.iter().any(|statement| self.is_setting(statement)) {
                    text.push_str(".testctrl optimizations 0\n");
                }
            }
        }
        text
    }

    fn reduce(
        &self,
        case: &Case,
        effort: Effort,
        candidates_max: usize,
        fails: &mut StillFails<'_>,
    ) -> Result<Reduction, ReductionStopped> {
        match effort {
            Effort::Sides => reduce_queries(case, candidates_max, fails),
            Effort::Whole => reduce(case, candidates_max, fails),
        }
    }

    fn variants(&self, case: &Case, count_max: usize) -> Vec<Variant> {
        variants::variants(case, count_max)
    }

    fn features(
        &self,
        case: &Case,
        differing: &BTreeSet<String>,
        is_crash: bool,
    ) -> BTreeSet<String> {
        features(&VOCABULARY, case, differing, is_crash)
    }

    fn normal_form(&self, case: &Case) -> Vec<String> {
        normal_form(case)
    }

    fn digest_probe(&self, outcome: &Outcome) -> Option<u64> {
        query_plan::digest(outcome)
    }
}

#[cfg(test)]
mod tests {
    use metacov_core::{Input, Judge, Pair};

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
        let script = Shell.reproducer(&case, &[text("optimizer on sqlite@3.29.0")]);
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
