//! The language of DuckDB's shell, which its Python module understands too.

use super::query_plan;
use super::settings::{RESETS, SETTINGS};
use super::variants::EDITS;
use crate::sql::features::Vocabulary;
use crate::sql::language::Shell;

/// The language of DuckDB's shell.
pub(super) const SHELL: Shell = Shell {
    heading: "-- To run it: duckdb < reproduce.sql\n",
    label: ["SELECT 'side ", ":';"],
    resets: RESETS,
    settings: SETTINGS,
    // Every column has a type, so that types say nothing about a fault.
    vocabulary: Vocabulary { types: &[], modules: &[] },
    edits: EDITS,
    plan_digest: query_plan::digest,
};

#[cfg(test)]
mod tests {
    use metacov_core::{Case, Input, Judge, Language as _, Pair};

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
        let script = SHELL.reproducer(&case, &[text("optimizer on duckdb@2.0.0")]);
        assert!(script.starts_with("-- optimizer on duckdb@2.0.0\n-- To run it: duckdb <"));
        let read = SHELL.statements(&script);
        assert_eq!(read[..3], ["CREATE TABLE t0 (c0 INTEGER)", "SELECT 'side a:'", ON]);
        assert_eq!(read[3], "SELECT ';' FROM t0");
        assert_eq!(read[4..6], *RESETS);
        assert_eq!(SHELL.statements(&SHELL.script(&case.setup)), case.setup);
    }
}
