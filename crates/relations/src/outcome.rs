//! What came of running a side, and what it means.

use std::fmt;

/// What came of the statements of one side.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The rows of all its statements.
    Rows(Vec<Vec<Value>>),
    /// The first error.
    Error {
        /// The code of the database system; SQLite's primary result code.
        code: i32,
        /// What it said.
        message: String,
    },
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// NULL
    Null,
    /// An integer.
    Integer(i64),
    /// A real.
    Real(f64),
    /// A text, which need not be valid.
    Text(Vec<u8>),
    /// A blob.
    Blob(Vec<u8>),
}

/// What the outcomes of a pair mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The relation holds.
    Holds,
    /// The relation is violated: how the results differ.
    Violated(String),
    /// The pair says nothing.
    Invalid(Invalid),
}

/// Why a pair says nothing. Small in number, so that pairs can be counted by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invalid {
    /// Both sides failed, with these codes.
    BothFailed(i32, i32),
    /// Only the first side failed. Evaluation may stop early on one side and meet a bad value on the other, so that is
    /// no violation.
    FirstFailed(i32),
    /// Only the second side failed.
    SecondFailed(i32),
    /// A result has not the shape that the relation's queries have.
    Shape,
}

impl fmt::Display for Invalid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BothFailed(a, b) => write!(out, "both sides failed (codes {a} and {b})"),
            Self::FirstFailed(code) => write!(out, "only the first side failed (code {code})"),
            Self::SecondFailed(code) => write!(out, "only the second side failed (code {code})"),
            Self::Shape => write!(out, "a result has another shape than its query"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => write!(out, "NULL"),
            Self::Integer(value) => write!(out, "{value}"),
            Self::Real(value) => write!(out, "{value:?}"),
            Self::Text(bytes) => write!(out, "'{}'", String::from_utf8_lossy(bytes)),
            Self::Blob(bytes) => {
                write!(out, "x'")?;
                bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
                write!(out, "'")
            }
        }
    }
}
