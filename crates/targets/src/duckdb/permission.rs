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
    "DEALLOCATE",
    "DELETE",
    "DROP",
    "END",
    "EXECUTE",
    "EXPLAIN",
    "FROM",
    "INSERT",
    "PRAGMA",
    "PREPARE",
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

/// Statements that can be prepared. What they refer to is checked when they are.
const PREPARED: &[&str] = &["(", "DELETE", "FROM", "INSERT", "SELECT", "UPDATE", "VALUES", "WITH"];

/// Words of statements that leave the database, wherever they occur.
const FORBIDDEN: &[&str] =
    &["ATTACH", "CALL", "COPY", "DETACH", "EXPORT", "IMPORT", "INSTALL", "LOAD", "SECRET"];

/// Words of statements that are run by themselves only.
const ALONE: &[&str] = &["DEALLOCATE", "EXECUTE", "PREPARE"];

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
    if first.is("PREPARE") && !words.get(3).is_some_and(|word| is_any(word, PREPARED)) {
        return Some("only queries and changes of rows are prepared".to_owned());
    }
    let next = |at: usize| words.get(at + 1);
    let mut sources = Sources::default();
    for (at, word) in words.iter().enumerate() {
        let is_before_text = next(at).is_some_and(|next| next.kind == Kind::Text);
        if word.text == ";" {
            return Some("more than one statement".to_owned());
        }
        if word.kind != Kind::Text && word.text.contains('$') {
            return Some("a text between dollars is not read".to_owned());
        }
        sources.read(&words[..=at]);
        if word.text.starts_with('?') && at > 0 && sources.may_follow(&words[at - 1]) {
            return Some("a parameter is not a source".to_owned());
        }
        if is_before_text && (sources.may_follow(word) || is_any(word, BEFORE_TABLE)) {
            return Some("a file is not read".to_owned());
        }
        if word.kind != Kind::Word {
            continue;
        }
        if is_any(word, FORBIDDEN) || at > 0 && is_any(word, ALONE) {
            return Some(format!("a statement with {} is not run", word.text));
        }
        // The rules of quotes differ inside such a text, so that what follows is not known.
        if is_before_text && is_any(word, &["E", "U"]) {
            return Some("a text with escapes is not read".to_owned());
        }
        let is_quoted = word.text.starts_with('"');
        if is_quoted && word.text.replace("\".\"", "").contains(['/', ':', '*', '.']) {
            return Some(format!("{} may be a file", word.text));
        }
        if next(at).is_some_and(|next| next.text == "(") && reads(&word.text) {
            return Some(format!("the function {} is not called", word.text));
        }
    }
    None
}

/// Words that end a FROM clause, at the same depth of brackets.
const AFTER_FROM: &[&str] = &[
    "EXCEPT",
    "GROUP",
    "HAVING",
    "INTERSECT",
    "LIMIT",
    "OFFSET",
    "ORDER",
    "QUALIFY",
    "RETURNING",
    "SELECT",
    "SET",
    "UNION",
    "VALUES",
    "WHERE",
    "WINDOW",
];

/// Words before a source in a FROM clause.
const BEFORE_SOURCE: &[&str] = &["FROM", "JOIN", "PIVOT", "UNPIVOT", "USING"];

/// Words before a source anywhere.
const BEFORE_TABLE: &[&str] = &["DESCRIBE", "PIVOT", "SHOW", "SUMMARIZE", "TABLE", "UNPIVOT"];

/// Knows where a text is the name of a file: as a source in a FROM clause.
#[derive(Default)]
struct Sources {
    /// For each open bracket, whether the words before it are in a FROM clause.
    outside: Vec<bool>,
    is_in_from: bool,
}

impl Sources {
    /// Follows the last of these words.
    fn read(&mut self, words: &[Token]) {
        let Some((word, before)) = words.split_last() else { return };
        match &*word.text {
            // A bracket in the place of a source has sources in it, or a query.
            "(" => {
                let is_source = before.last().is_some_and(|before| self.may_follow(before));
                self.outside.push(self.is_in_from);
                self.is_in_from = is_source;
            }
            ")" => self.is_in_from = self.outside.pop().unwrap_or_default(),
            _ if word.is("FROM") => self.is_in_from |= !is_comparison(before),
            _ if is_any(word, AFTER_FROM) => self.is_in_from = false,
            _ => {}
        }
    }

    /// Whether the next word may be a source.
    fn may_follow(&self, word: &Token) -> bool {
        let starts = [",", "("].contains(&&*word.text) || is_any(word, BEFORE_SOURCE);
        self.is_in_from && starts
    }
}

/// Whether FROM is the end of `IS [NOT] DISTINCT FROM`.
fn is_comparison(before: &[Token]) -> bool {
    match before {
        [.., verb, distinct] => distinct.is("DISTINCT") && is_any(verb, &["IS", "NOT"]),
        _ => false,
    }
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
            "SELECT * FROM \"file.csv\"",
            "SELECT * FROM t0, 'file.csv'",
            "SELECT * FROM (SELECT 1) AS v, t0 JOIN t1 ON (t0.a = t1.a), 'file.csv' WHERE true",
            "SELECT 1 WHERE 1 IN (SELECT 1 FROM t0, 'file.csv')",
            "SELECT 1 IS DISTINCT FROM 2 FROM 'file.csv'",
            "SELECT * FROM t0 UNION SELECT 1 FROM t1 POSITIONAL JOIN 'file.csv'",
            "DELETE FROM t0 USING 'file.csv'",
            "SELECT * FROM ('file.csv' CROSS JOIN t0)",
            "SELECT * FROM (('file.csv') AS v CROSS JOIN t0)",
            "SELECT * FROM (t0 CROSS JOIN 'file.csv')",
            "SELECT * FROM (PIVOT 'file.csv' ON a)",
            "WITH a AS (TABLE 'file.csv') SELECT * FROM a",
            "INSERT INTO t0 TABLE 'file.csv'",
            "EXPLAIN TABLE 'file.csv'",
            "SELECT * FROM $$file.csv$$",
            "SELECT * FROM $a$file.csv$a$",
            "WITH a AS (SELECT 1) SELECT * FROM a, glob('*')",
            "PREPARE q AS COPY t0 TO 'file'",
            "PREPARE q AS SET enable_external_access = true",
            "PREPARE q AS EXECUTE r",
            "PREPARE q AS SELECT * FROM 'file.csv'",
            "PREPARE q AS SELECT * FROM read_csv(?)",
            "PREPARE q AS SELECT * FROM ?",
            "PREPARE q AS SELECT * FROM t0, ?1",
            "PREPARE \"COPY\" (TEXT) AS SELECT 1",
            "EXECUTE q(getenv('HOME'))",
            "EXECUTE q; COPY t0 TO 'file'",
            "SELECT * FROM t0 EXECUTE q",
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
            "SELECT c0 IS DISTINCT FROM 'a', 'b', '$' FROM t0 WHERE c0 IN ('a', 'b') ORDER BY 'a', 'b'",
            "SELECT * FROM t0, (SELECT 'a', 'b') AS v, (VALUES ('a', 'b')) AS w WHERE c0 IS NOT \
             DISTINCT FROM 'a'",
            "SELECT \"t0\".\"c0\" FROM t0",
            "SELECT * FROM (t0 JOIN t1 ON (t0.c0 = 'a' AND t1.c0 IN ('a', 'b'))), range(1, 2)",
            "SELECT * FROM t0 JOIN t1 USING (c0), (VALUES ('a'), ('b')) AS v(c0)",
            "UPDATE t0 SET c0 = 'a', c1 = 'b' FROM t1 WHERE true",
            "PRAGMA disable_optimizer",
            "SET disabled_optimizers = 'top_n'",
            "EXPLAIN SELECT 'it''s; COPY' FROM t0;",
            "PREPARE q AS SELECT * FROM t0 WHERE c0 = CAST(? AS INTEGER)",
            "PREPARE q AS WITH a AS (SELECT 1) SELECT * FROM a WHERE 'a' IN (?, 'b')",
            "EXECUTE q(CAST('a' AS VARCHAR))",
            "DEALLOCATE q",
            "",
        ] {
            assert_eq!(refusal(sql), None, "{sql}");
        }
    }
}
