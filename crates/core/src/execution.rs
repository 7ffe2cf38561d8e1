//! How executions end.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Exit {
    /// It ended by itself, with exit code zero.
    Success,
    /// It ended by itself, with another exit code.
    Failure(i32),
    /// A signal that metacov did not send ended it.
    Signalled(i32),
    /// Metacov ended it because it took too long.
    Timeout,
}

impl fmt::Display for Exit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Success => write!(out, "exit code 0"),
            Exit::Failure(code) => write!(out, "exit code {code}"),
            Exit::Signalled(signal) => write!(out, "signal {signal}"),
            Exit::Timeout => write!(out, "a timeout"),
        }
    }
}

/// Why a side has no cover. Such a side is never treated as an empty set: all that the other side
/// ran would count as MC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Failure {
    /// A signal ended it before its counters could be read.
    Crashed,
    /// It took too long.
    TimedOut,
    /// It ended by itself, in a way that says that its input is not valid.
    Invalid,
    /// It ended by itself and left no counters, or more than fit.
    NoCounters,
    /// It did not run, or not to its end, for a reason outside of it: the system could not start a
    /// process, or something killed its supervisor.
    NotRun,
}

/// A side without a cover.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Missing {
    /// Why there is no cover.
    pub failure: Failure,
    /// How its execution ended; success if there was none.
    pub exit: Exit,
    /// The end of its output, or why its counters are wrong, or why it did not run.
    pub output_tail: String,
}

impl Failure {
    /// All kinds of failures.
    pub const ALL: [Failure; 5] = [
        Failure::Crashed,
        Failure::TimedOut,
        Failure::Invalid,
        Failure::NoCounters,
        Failure::NotRun,
    ];

    /// Returns the words that users read.
    pub fn name(self) -> &'static str {
        match self {
            Failure::Crashed => "crashed",
            Failure::TimedOut => "timed out",
            Failure::Invalid => "invalid",
            Failure::NoCounters => "no counters",
            Failure::NotRun => "did not run",
        }
    }
}
