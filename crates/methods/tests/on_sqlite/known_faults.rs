//! Faults of the bundled SQLite that the generator avoids, so that campaigns find others. If a test
//! fails, SQLite has fixed the fault: remove the code that avoids it, and say so in
//! `docs/found-bugs.md`.

use metacov_core::{Outcome, Value};

use crate::sqlite;

/// The outcome of the last of some statements.
fn last(statements: &[&str]) -> Outcome {
    let sqlite = sqlite::Sqlite::new();
    statements.iter().map(|sql| sqlite.run(sql)).last().expect("a statement")
}

/// Found by `tlp-distinct`, seed 1000286 of the first long run, in SQLite 3.54.1.
#[test]
fn union_makes_integers_of_virtual_reals_in_strict_tables() {
    let table = "CREATE TABLE t(a INT, b REAL AS (a) VIRTUAL) STRICT";
    let row = "INSERT INTO t VALUES (7)";
    let seven = |value| Outcome::Rows(vec![vec![value]]);
    assert_eq!(last(&[table, row, "SELECT b FROM t"]), seven(Value::Real(7.0)));
    let union = "SELECT b FROM t UNION SELECT b FROM t";
    assert_eq!(last(&[table, row, union]), seven(Value::Integer(7)), "7.0 would be right");
}

/// Found by `tlp-where`, pair 9253 of a long run. SQLite 3.40 reads the column from the table,
/// which is correct.
#[test]
fn an_index_makes_integers_of_virtual_columns_that_are_a_real_column() {
    let query = |source: &str| {
        let sql = format!("SELECT b FROM {source} WHERE b > 1");
        last(&[
            "CREATE TABLE t(a REAL, b AS (a))",
            "INSERT INTO t VALUES (7)",
            "CREATE INDEX i ON t(b)",
            &sql,
        ])
    };
    let seven = |value| Outcome::Rows(vec![vec![value]]);
    assert_eq!(query("t NOT INDEXED"), seven(Value::Real(7.0)));
    assert_eq!(query("t INDEXED BY i"), seven(Value::Integer(7)), "7.0 would be right");
}

/// Found by `tlp-groupby`, seed 298 of the first run with C. If a column of the first use of a view
/// is not read, `disableUnusedSubqueryResultColumns` makes it NULL in all parts of the compound. It
/// marks the parts that it changed; the last one is NULL already, so the view does not seem to have
/// changed, and the second use shares its rows.
#[test]
fn a_view_that_ends_in_null_is_null_when_it_is_joined_with_itself() {
    let view = |last: &str| format!("CREATE VIEW v(c) AS VALUES (1), ({last})");
    let query = "SELECT b.c FROM v AS a, v AS b";
    let twice = |last: Value| {
        let rows = [Value::Integer(1), last.clone(), Value::Integer(1), last];
        Outcome::Rows(rows.map(|value| vec![value]).to_vec())
    };
    assert_eq!(last(&[&view("2"), query]), twice(Value::Integer(2)));
    let nulls = Outcome::Rows(vec![vec![Value::Null]; 4]);
    assert_eq!(last(&[&view("NULL"), query]), nulls, "1 and NULL, twice, would be right");
}

/// Found by `tlp-groupby`, seed 2006940 of the second long run.
#[test]
fn a_blob_that_is_a_default_is_another_number() {
    let statements = [
        "PRAGMA encoding('UTF-16be')",
        "CREATE TABLE t(a)",
        "INSERT INTO t VALUES (1)",
        "ALTER TABLE t ADD COLUMN b BLOB DEFAULT (x'3162')",
        "INSERT INTO t VALUES (2, x'3162')",
        "SELECT b, b + 0 FROM t ORDER BY a",
    ];
    let row = |number| vec![Value::Blob(b"1b".to_vec()), Value::Integer(number)];
    assert_eq!(
        last(&statements),
        Outcome::Rows(vec![row(1), row(0)]),
        "the same number would be right"
    );
}

/// Found by `tlp-aggregate`, seed 3009242.
#[test]
fn fts5_overlooks_a_rowid_that_is_no_integer() {
    let query = |rowid: &str| {
        let sql = format!("SELECT c FROM f WHERE f MATCH 'a' AND rowid = {rowid}");
        last(&[
            "CREATE VIRTUAL TABLE f USING fts5(c)",
            "INSERT INTO f(rowid, c) VALUES (5, 'a')",
            &sql,
        ])
    };
    let row = Outcome::Rows(vec![vec![Value::Text(b"a".to_vec())]]);
    assert_eq!(query("5"), row);
    assert_eq!(query("6"), Outcome::Rows(Vec::new()));
    for rowid in ["NULL", "5.5", "'x'"] {
        assert_eq!(query(rowid), row, "no row would be right");
    }
}

/// Found by `norec`, whose second query has no `*`.
#[test]
fn star_is_ambiguous_after_an_outer_join_that_merges_columns() {
    let tables = ["CREATE TABLE a(x)", "CREATE TABLE b(x)", "CREATE TABLE c(x)"];
    let query = |join: &str| {
        let sql = format!("SELECT * FROM a {join} JOIN b USING (x), c");
        last(&[tables[0], tables[1], tables[2], &sql])
    };
    assert!(matches!(query("LEFT"), Outcome::Rows(_)));
    assert!(matches!(query("FULL"), Outcome::Error { .. }), "rows would be right");
}

/// The scripts in `docs/found-bugs.md` return what the page says.
#[test]
fn the_reports_of_found_bugs_are_true() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/found-bugs.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let reports: Vec<&str> = page.split("```sql\n").skip(1).collect();
    assert_eq!(reports.len(), 6, "one script for each test above");
    for report in reports {
        let (script, rest) = report.split_once("```").expect("the end of the script");
        let rows = rest.split_once("```text\n").and_then(|(_, rest)| rest.split_once("```"));
        assert_eq!(shell_output(script), rows.expect("what the script prints").0, "{script}");
    }
}

/// What SQLite's shell prints for a script, in its mode `quote`.
fn shell_output(script: &str) -> String {
    let sqlite = sqlite::Sqlite::new();
    let lines: Vec<&str> = script.lines().filter(|line| !line.starts_with('.')).collect();
    let mut output = String::new();
    for statement in lines.join("\n").split_terminator(';') {
        match sqlite.run(statement) {
            Outcome::Rows(rows) => {
                for row in rows {
                    let values: Vec<String> = row.iter().map(quoted).collect();
                    output += &(values.join(",") + "\n");
                }
            }
            Outcome::Error { message, .. } => {
                // The driver adds the statement after the message.
                let message = message.split(" in ").next().unwrap_or_default();
                output.extend(["error: ", message, "\n"]);
            }
        }
    }
    output
}

fn quoted(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => format!("{value:?}"),
        Value::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
        Value::Blob(bytes) => {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            format!("X'{}'", digits.concat())
        }
    }
}
