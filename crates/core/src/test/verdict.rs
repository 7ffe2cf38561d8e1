//! The verdict on the outcomes of a test.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Exit, Failure, Missing};

/// The verdict on the outcomes of a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// The relation holds.
    Holds,
    /// The relation is violated, and how the outcomes differ.
    Violated(String),
    /// The outcomes cannot be judged.
    Invalid(Invalid),
    /// An execution has no outcome.
    Lost {
        /// The side; none if it was lost during the setup.
        side: Option<usize>,
        /// How it was lost.
        missing: Missing,
    },
}

/// Why outcomes cannot be judged. There are few reasons, so tests can be counted by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Invalid {
    /// Both sides failed, with these codes.
    BothFailed(i32, i32),
    /// Only the first side failed. Evaluation may stop early on one side and meet a bad value on
    /// the other, so this is not a violation.
    FirstFailed(i32),
    /// Only the second side failed.
    SecondFailed(i32),
    /// A result does not have the shape that the relation's queries require.
    Shape,
}

impl Invalid {
    /// Returns the side that is the cause: the second only if it alone failed.
    pub fn side(self) -> usize {
        usize::from(matches!(self, Self::SecondFailed(_)))
    }

    /// Returns the side that has no cover because of it.
    pub fn missing(self) -> Missing {
        let (failure, exit) = (Failure::Invalid, Exit::Success);
        Missing { failure, exit, output_tail: self.to_string() }
    }
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
