//! The edits that make variants of a case for SQLite.

use crate::sql::variants::Edits;

pub(super) const EDITS: Edits = Edits {
    classes: &[
        &["=", "!=", "<", "<=", ">", ">=", "IS", "IS NOT"],
        &["AND", "OR"],
        &["+", "-", "*", "/", "||", "&", "|"],
        &["LIKE", "GLOB", "="],
        &["NOCASE", "BINARY", "RTRIM"],
        &["INT", "INTEGER", "TEXT", "REAL", "BLOB", "NUMERIC"],
        &["ASC", "DESC"],
        &["LEFT", "INNER", "CROSS"],
        &["MIN", "MAX", "COUNT", "SUM"],
        &["TRUE", "FALSE", "NULL", "0", "1"],
        &["ISNULL", "NOTNULL"],
        &["UNION", "UNION ALL", "INTERSECT", "EXCEPT"],
    ],
    values: &[
        "NULL", "0", "1", "2", "- 1", "0.5", "1e30", "''", "'a'", "'A'", "'1'", "'1.0'", "x''",
        "x'31'", "TRUE",
    ],
    wrappers: &[
        "+ ?",
        "- ?",
        "? COLLATE NOCASE",
        "? COLLATE BINARY",
        "? COLLATE RTRIM",
        "CAST ( ? AS TEXT )",
        "CAST ( ? AS INTEGER )",
        "CAST ( ? AS BLOB )",
        "? IS NULL",
        "NOT ?",
        "LIKELY ( ? )",
        "? || ''",
        "( ? )",
        "ABS ( ? )",
    ],
    additions: &[
        "ANALYZE",
        "REINDEX",
        "VACUUM",
        "PRAGMA automatic_index = 0",
        "PRAGMA case_sensitive_like = 1",
        "PRAGMA reverse_unordered_selects = 1",
    ],
};
