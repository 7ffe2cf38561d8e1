//! The edits that make variants of a case for DuckDB. Many do not fit the types of a statement, and
//! fail.

use crate::sql::variants::Edits;

pub(super) const EDITS: Edits = Edits {
    classes: &[
        &["=", "!=", "<>", "<", "<=", ">", ">="],
        &["AND", "OR"],
        &["+", "-", "*", "||"],
        &["LIKE", "="],
        &["TINYINT", "SMALLINT", "INTEGER", "INT", "BIGINT", "DOUBLE", "REAL", "VARCHAR"],
        &["ASC", "DESC"],
        &["LEFT", "INNER", "FULL"],
        &["MIN", "MAX", "COUNT", "SUM"],
        &["TRUE", "FALSE", "NULL", "0", "1"],
        &["UNION", "UNION ALL", "INTERSECT", "EXCEPT"],
    ],
    values: &[
        "NULL",
        "0",
        "1",
        "2",
        "- 1",
        "0.5",
        "1e30",
        "''",
        "'a'",
        "'A'",
        "'1'",
        "TRUE",
        "FALSE",
        "CAST ( '2000-01-01' AS DATE )",
    ],
    wrappers: &[
        "- ?",
        "CAST ( ? AS VARCHAR )",
        "CAST ( ? AS INTEGER )",
        "CAST ( ? AS DOUBLE )",
        "? IS NULL",
        "NOT ?",
        "? || ''",
        "( ? )",
        "ABS ( ? )",
        "COALESCE ( ? , NULL )",
    ],
    additions: &["ANALYZE", "VACUUM", "CHECKPOINT"],
};
