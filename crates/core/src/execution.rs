//! How executions end.

use serde::{Deserialize, Serialize};

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Exit {
    /// By itself, with exit code zero.
    Success,
    /// By itself, with another exit code.
    Failure(i32),
    /// By a signal that was not ours.
    Signalled(i32),
    /// By us: it took too long.
    Timeout,
}

/// Why a side has no cover. Such a side is a value of its own: taken for an empty set, it would
/// make all that the other side ran count as MC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Failure {
    /// It was ended by a signal, before it could tell what it ran.
    Crashed,
    /// It took too long.
    TimedOut,
    /// It ended by itself, in a way that says that its input was not a valid one.
    Invalid,
    /// It ended by itself and left no counters, or more than there is room for.
    NoCounters,
    /// It did not run, or not to its end, for a reason outside of it: the system had no room for its process, or
    /// something killed what runs it.
    NotRun,
}

/// A side that has no cover.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Missing {
    /// Why.
    pub failure: Failure,
    /// How its execution ended; success if there was none.
    pub exit: Exit,
    /// The end of its output, or why its counters are wrong or why it did not run.
    pub output_tail: String,
}

impl Failure {
    /// All ways to fail.
    pub const ALL: [Failure; 5] = [
        Failure::Crashed,
        Failure::TimedOut,
        Failure::Invalid,
        Failure::NoCounters,
        Failure::NotRun,
    ];

    /// The words that users read.
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
