//! What came of running a side, and what it means.

use std::fmt;

pub use metacov_core::{Outcome, Value};

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
