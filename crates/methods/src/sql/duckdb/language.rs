//! The language of DuckDB's shell, which its Python module understands too.

use std::collections::BTreeSet;

use metacov_core::{
    Case, Effort, Language, Outcome, Reduction, ReductionStopped, StillFails, Variant,
};

use super::{RESETS, is_setting, query_plan};
use crate::sql::features::{Vocabulary, features};
use crate::sql::normal_form::normal_form;
use crate::sql::reduce::{reduce, reduce_queries};
use crate::sql::token::{statements, tokens};

/// The language of DuckDB's shell.
pub(super) struct Shell;

/// Every column has a type, so that types say nothing about a fault.
const VOCABULARY: Vocabulary = Vocabulary { types: &[], modules: &[], is_setting };

impl Language for Shell {
    fn extension(&self) -> &'static str {
        "sql"
    }

    fn script(&self, statements: &[String]) -> String {
        statements.iter().flat_map(|statement| [statement, ";\n"]).collect()
    }

    fn statements(&self, script: &str) -> Vec<String> {
        statements(script)
    }

    fn words(&self, statement: &str) -> Vec<String> {
        tokens(statement).into_iter().map(|token| token.text).collect()
    }

    fn is_setting(&self, statement: &str) -> bool {
        is_setting(statement)
    }

    fn reproducer(&self, case: &Case, heading: &[String]) -> String {
        let heading = heading.iter().flat_map(|line| ["-- ", line, "\n"]);
        let mut text: String = heading.collect();
        text.push_str("-- To run it: duckdb < reproduce.sql\n");
        text.push_str(&self.script(&case.setup));
        for (name, side) in [("a", &case.sides.a), ("b", &case.sides.b)] {
            text.extend(["\nSELECT 'side ", name, ":';\n"]);
            for input in side {
                text.push_str(&self.script(&input.statements));
                if input.statements.iter().any(|statement| is_setting(statement)) {
                    text.extend(RESETS.iter().flat_map(|reset| [*reset, ";\n"]));
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

    /// None yet: the edits that `metacov locate` uses are those of SQLite's dialect.
    fn variants(&self, _case: &Case, _count_max: usize) -> Vec<Variant> {
        Vec::new()
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
    use crate::sql::duckdb::settings::{OFF, ON};

    #[test]
    fn a_reproducer_is_a_script_that_can_be_read_back() {
        let text = |text: &str| text.to_owned();
        let side = |setting: &str| {
            vec![Input { statements: vec![text(setting), text("SELECT ';' FROM t0")] }]
        };
        let case = Case {
            relation: text("optimizer"),
            setup: vec![text("CREATE TABLE t0 (c0 INTEGER)")],
            sides: Pair { a: side(ON), b: side(OFF) },
            parts: Vec::new(),
            judge: Judge::Bag,
        };
        let script = Shell.reproducer(&case, &[text("optimizer on duckdb@2.0.0")]);
        assert!(script.starts_with("-- optimizer on duckdb@2.0.0\n-- To run it: duckdb <"));
        let read = Shell.statements(&script);
        assert_eq!(read[..3], ["CREATE TABLE t0 (c0 INTEGER)", "SELECT 'side a:'", ON]);
        assert_eq!(read[3], "SELECT ';' FROM t0");
        assert_eq!(read[4..6], *RESETS);
        assert_eq!(Shell.statements(&Shell.script(&case.setup)), case.setup);
    }
}
