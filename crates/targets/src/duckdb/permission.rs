//! Which statements are run. Findings come from anywhere, and replaying one must not read or write
//! files, reach the network, or load code. Newer versions have an option for this
//! (`enable_external_access`), older ones do not, so every statement is checked here too.

use metacov_methods::sql::token::{Kind, Token, tokens};

/// The first words of statements that are run.
const STATEMENTS: &[&str] = &[
    "ABORT",
    "ALTER",
    "ANALYZE",
    "BEGIN",
    "CHECKPOINT",
    "COMMIT",
    "CREATE",
    "DELETE",
    "DROP",
    "END",
    "EXPLAIN",
    "FROM",
    "INSERT",
    "PRAGMA",
    "ROLLBACK",
    "SELECT",
    "SET",
    "START",
    "TRUNCATE",
    "UPDATE",
    "VACUUM",
    "VALUES",
    "WITH",
];

/// Settings that change only how queries are run.
const SETTINGS: &[&str] = &[
    "DISABLED_OPTIMIZERS",
    "DISABLE_OPTIMIZER",
    "ENABLE_OPTIMIZER",
    "FORCE_INDEX_JOIN",
    "INDEX_SCAN_MAX_COUNT",
    "INDEX_SCAN_PERCENTAGE",
];

/// Words of statements that leave the database, wherever they occur.
const FORBIDDEN: &[&str] = &[
    "ATTACH", "CALL", "COPY", "DETACH", "EXECUTE", "EXPORT", "IMPORT", "INSTALL", "LOAD", "SECRET",
];

/// Parts of the names of functions that read files, settings or the environment, or run other SQL.
const FUNCTIONS: &[&str] = &[
    "arrow",
    "csv",
    "execute",
    "getenv",
    "glob",
    "http",
    "iceberg",
    "log",
    "parquet",
    "query",
    "read",
    "scan",
    "secret",
    "substrait",
    "write",
];

/// Functions whose names contain one of these parts and that only compute.
const COMPUTING: &[&str] = &["log", "log2", "log10", "spread"];

/// Says why a statement is not run.
pub(super) fn refusal(sql: &str) -> Option<String> {
    // A list is in square brackets, which are quotes in other dialects.
    let words = tokens(&sql.replace(['[', ']'], " "));
    let first = words.iter().find(|word| word.text != "(")?;
    if !is_any(first, STATEMENTS) {
        return Some(format!("a statement that begins with {} is not run", first.text));
    }
    if is_any(first, &["PRAGMA", "SET"]) {
        let name = words.iter().skip(1).find(|word| !is_any(word, &["GLOBAL", "SESSION", "LOCAL"]));
        if !name.is_some_and(|name| is_any(name, SETTINGS)) {
            return Some("this setting is not changed".to_owned());
        }
    }
    let next = |at: usize| words.get(at + 1);
    for (at, word) in words.iter().enumerate() {
        let is_before_text = next(at).is_some_and(|next| next.kind == Kind::Text);
        if word.text == ";" {
            return Some("more than one statement".to_owned());
        }
        if word.kind != Kind::Word {
            continue;
        }
        if is_any(word, FORBIDDEN) {
            return Some(format!("a statement with {} is not run", word.text));
        }
        // The rules of quotes differ inside such a text, so that what follows is not known.
        if is_before_text && is_any(word, &["E", "U"]) {
            return Some("a text with escapes is not read".to_owned());
        }
        if is_before_text && is_any(word, &["FROM", "JOIN"]) {
            return Some("a file is not read".to_owned());
        }
        if word.text.starts_with('"') && word.text.contains(['/', ':', '*']) {
            return Some(format!("{} may be a file", word.text));
        }
        if next(at).is_some_and(|next| next.text == "(") && reads(&word.text) {
            return Some(format!("the function {} is not called", word.text));
        }
    }
    None
}

fn is_any(word: &Token, known: &[&str]) -> bool {
    known.iter().any(|known| word.is(known))
}

/// Whether a function may leave the database.
fn reads(function: &str) -> bool {
    let name = function.rsplit('.').next().unwrap_or(function).trim_matches('"').to_lowercase();
    !COMPUTING.contains(&&*name) && FUNCTIONS.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_leave_the_database_are_refused() {
        for sql in [
            "COPY t0 TO 'file'",
            "EXPLAIN ANALYZE COPY t0 TO 'file'",
            "EXPORT DATABASE 'folder'",
            "ATTACH 'file' AS other",
            "INSTALL httpfs",
            "load 'file'",
            "SET enable_external_access = true",
            "PRAGMA temp_directory='folder'",
            "SELECT * FROM 'file.csv'",
            "SELECT * FROM read_csv('file')",
            "SELECT * FROM \"Read_CSV_Auto\"('file')",
            "SELECT [(SELECT count(*) FROM parquet_scan('file'))]",
            "SELECT main.getenv('HOME')",
            "SELECT E'\\'', read_text('file') --'",
            "SELECT 1; COPY t0 TO 'file'",
            "CREATE SECRET s (TYPE s3)",
            "CALL pragma_version()",
            "CREATE TABLE t0 AS SELECT * FROM query('COPY')",
            "SELECT * FROM \"/etc/passwd\"",
            "WITH a AS (SELECT 1) SELECT * FROM a, glob('*')",
        ] {
            assert!(refusal(sql).is_some(), "{sql}");
        }
    }

    #[test]
    fn other_statements_are_run() {
        for sql in [
            "CREATE TABLE t0(c0 INTEGER)",
            "INSERT INTO t0 VALUES (1), ('COPY')",
            "(SELECT log2(c0), [1, 2] FROM t0)",
            "PRAGMA disable_optimizer",
            "SET disabled_optimizers = 'top_n'",
            "EXPLAIN SELECT 'it''s; COPY' FROM t0;",
            "",
        ] {
            assert_eq!(refusal(sql), None, "{sql}");
        }
    }
}
