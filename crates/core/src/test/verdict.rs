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
    /// The output of this side is not a number.
    NotANumber(usize),
    /// An output is longer than
    /// [`SideOutput::JUDGED_BYTES_MAX`](crate::SideOutput::JUDGED_BYTES_MAX).
    OutputTooLong,
    /// The command that judges failed with this exit code.
    JudgeFailed(i32),
    /// The solver does not decide an input of this side.
    Undecided(usize),
    /// The solver's answer to an input of the first side is not the expected one: its label is
    /// wrong, or the answer.
    OtherAnswer,
}

impl Invalid {
    /// Returns the side that is the cause: the first if it is not one side alone.
    pub fn side(self) -> usize {
        match self {
            Self::NotANumber(side) | Self::Undecided(side) => side,
            Self::SecondFailed(_) => 1,
            _ => 0,
        }
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
            Self::NotANumber(side) => {
                let side = if *side == 0 { "a" } else { "b" };
                write!(out, "the output of side {side} is not a number")
            }
            Self::OutputTooLong => write!(out, "the output is too long to be judged"),
            Self::JudgeFailed(code) => write!(out, "the judge failed (exit code {code})"),
            Self::Undecided(side) => {
                let side = if *side == 0 { "a" } else { "b" };
                write!(out, "the solver does not decide side {side}")
            }
            Self::OtherAnswer => write!(out, "the answer to side a is not the expected one"),
        }
    }
}
