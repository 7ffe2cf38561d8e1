//! What became of a mutant in a pair.

use serde::{Deserialize, Serialize};

/// What became of a mutant that a pair has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum MutantVerdict {
    /// The relation still holds.
    Survived,
    /// The relation is violated: killed in the sense of the paper.
    Killed,
    /// One side reports an error.
    Error,
    /// The process has ended.
    Crash,
    /// A limit of time was exceeded.
    Timeout,
    /// The outcomes cannot be judged: both sides report errors, or a result has another shape.
    Invalid,
}

impl MutantVerdict {
    /// All of them, in the order of tables.
    pub const ALL: [MutantVerdict; 6] =
        [Self::Survived, Self::Killed, Self::Error, Self::Crash, Self::Timeout, Self::Invalid];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Survived => "survived",
            Self::Killed => "killed",
            Self::Error => "error",
            Self::Crash => "crash",
            Self::Timeout => "timeout",
            Self::Invalid => "invalid",
        }
    }

    /// Returns the verdict of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}
