//! What an execution returns.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// A real number.
    Real(f64),
    /// A text, in the bytes of UTF-8 if it is well-formed.
    Text(Vec<u8>),
    /// Bytes.
    Blob(Vec<u8>),
}

/// What the statements of an input return.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// The rows of all statements, concatenated. A target without rows returns one value.
    Rows(Vec<Vec<Value>>),
    /// The error of the first statement that failed, which ends the input.
    Error {
        /// The engine's error code.
        code: i32,
        /// The engine's error message.
        message: String,
    },
}

impl Outcome {
    /// Whether it is not an error.
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
