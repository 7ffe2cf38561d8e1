//! Faults of DuckDB that the generator avoids, so that campaigns find others. If a test fails,
//! DuckDB has fixed the fault: `crates/methods/src/sql/duckdb/known_faults.rs` and
//! `docs/found-bugs-duckdb.md` then say until which version it was there.

use super::replay;

/// Checks that a query has these numbers of rows with the optimiser and without it.
#[track_caller]
fn check(setup: &[&str], query: &str, off: &str, expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let setup: Vec<String> = setup.iter().map(|statement| format!("\"{statement}\"")).collect();
    let (query, off) = (format!("\"{query}\""), format!("\"{off}\""));
    let run = replay(folder.path(), &setup.join(", "), &query, &format!("{off}, {query}"));
    assert_eq!(run.code, 6, "{run:?}");
    assert!(run.stdout.contains(expected), "{run:?}");
}

const OFF: &str = "PRAGMA disable_optimizer";

/// `OPTIMIZERS` in `crates/methods/src/sql/duckdb/settings.rs` can have `filter_pushdown` too.
#[test]
fn a_filter_is_lost_without_filter_pushdown() {
    check(
        &["CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)"],
        "SELECT v.a FROM (SELECT a FROM t WHERE NULL = (SELECT MIN(a) FROM t)) AS v LEFT JOIN t ON \
         v.a = t.a",
        "SET disabled_optimizers = 'filter_pushdown,filter_pullup'",
        "a returns 0 rows, b returns 1 row",
    );
}

#[test]
fn like_of_a_case_of_constants_accepts_null() {
    check(
        &["CREATE TABLE t(a INTEGER)", "INSERT INTO t VALUES (0)"],
        "SELECT * FROM t WHERE CASE WHEN a = 1 THEN 'a' END LIKE 'a%'",
        OFF,
        "a returns 1 row, b returns 0 rows",
    );
}

#[test]
fn like_of_nullif_drops_a_row() {
    check(
        &["CREATE TABLE t(s VARCHAR)", "INSERT INTO t VALUES (NULL)"],
        "SELECT * FROM t WHERE nullif('ab', s) LIKE '%a%'",
        OFF,
        "a returns 0 rows, b returns 1 row",
    );
}

#[test]
fn exists_of_a_left_join_is_false() {
    check(
        &[
            "CREATE TABLE l(a INTEGER)",
            "CREATE TABLE r(b INTEGER)",
            "INSERT INTO l VALUES (1), (2)",
        ],
        "SELECT * FROM l WHERE EXISTS (SELECT * FROM l LEFT JOIN r ON r.b = 1)",
        OFF,
        "a returns 0 rows, b returns 2 rows",
    );
}

#[test]
fn a_sum_of_ubigint_compared_with_a_large_constant_fails() {
    let folder = tempfile::tempdir().unwrap();
    let query = "\"SELECT * FROM t WHERE a + 2 = CAST('18446744073709551615' AS UBIGINT)\"";
    let run = replay(folder.path(), "\"CREATE TABLE t(a UBIGINT)\"", query, query);
    assert_eq!(run.code, 6, "{run:?}");
    assert!(run.stdout.contains("fails: the engine ends by signal 6 on side a"), "{run:?}");
}

#[test]
fn cbrt_of_an_aggregate_fails() {
    let folder = tempfile::tempdir().unwrap();
    let setup = "\"CREATE TABLE t(a DOUBLE)\", \"INSERT INTO t VALUES (1)\"";
    let query = "\"SELECT cbrt(MAX(a) * 5) FROM t\"";
    let run = replay(folder.path(), setup, query, query);
    assert_eq!(run.code, 6, "{run:?}");
    assert!(run.stdout.contains("fails: the engine ends by signal 6 on side a"), "{run:?}");
}

/// The generator does not avoid it, because it is rare: remove this test and its script.
#[test]
fn having_after_a_semi_join_drops_groups() {
    check(
        &[
            "CREATE TABLE l(a INTEGER)",
            "INSERT INTO l VALUES (1)",
            "CREATE TABLE r(b INTEGER, c BOOLEAN)",
            "INSERT INTO r SELECT range, NULL FROM range(30)",
        ],
        "SELECT a FROM l SEMI JOIN r ON (r.c OR r.b >= 9) GROUP BY a HAVING MIN(a) + a > 0",
        OFF,
        "a returns 0 rows, b returns 1 row",
    );
}
