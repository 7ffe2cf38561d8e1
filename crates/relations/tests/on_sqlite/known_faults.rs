//! Faults of the bundled SQLite that the generator steers around, so that campaigns find others. Each is looked for
//! here: once a test fails, SQLite is mended, and what steers around the fault can go.

use metacov_relations::{Outcome, Value};

use crate::sqlite;

/// What the last of some statements gives.
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

/// Met by `norec`, whose second query has no `*`.
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
