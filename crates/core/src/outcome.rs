//! What an execution of SQL gives.

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
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

/// What the statements of a side give.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The rows of all of them, one behind the other.
    Rows(Vec<Vec<Value>>),
    /// The first that failed ends it.
    Error {
        /// The engine's number for it.
        code: i32,
        /// The engine's words for it.
        message: String,
    },
}
