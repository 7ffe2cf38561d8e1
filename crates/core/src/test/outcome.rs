//! What an execution returns.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// Another number.
    Real(f64),
    /// A text, in the bytes of UTF-8 if it is well-formed.
    Text(Vec<u8>),
    /// Bytes.
    Blob(Vec<u8>),
}

/// What the statements of an input return.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// The rows of all of them, concatenated. A target without rows returns one value.
    Rows(Vec<Vec<Value>>),
    /// The first that failed ends it.
    Error {
        /// The engine's number for it.
        code: i32,
        /// The engine's words for it.
        message: String,
    },
}

impl Outcome {
    /// Whether it is no error.
    pub fn is_success(&self) -> bool {
        matches!(self, Outcome::Rows(_))
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
