//! Failing cases, as the loop reports them.

use std::fmt;

use metacov_core::{Case, Exit, Failure, Verdict};

/// A pair that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingCase {
    /// The pair and its setup.
    pub case: Case,
    /// How it fails.
    pub what: FailureKind,
    /// The seed of the campaign.
    pub seed: u64,
    /// The number of the database.
    pub database: u64,
    /// The number of the pair among those of its relation.
    pub pair: u64,
}

/// How a pair fails. Where there is no side, it failed during the setup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The sides disagree, in this way.
    Violated(String),
    /// The process of the engine ended.
    Crashed {
        /// Which side.
        side: Option<usize>,
        /// How it ended.
        exit: Exit,
    },
    /// The engine did not answer in time.
    Hung {
        /// Which side.
        side: Option<usize>,
    },
}

impl FailureKind {
    /// Returns how a verdict fails, if it does.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        match verdict {
            Verdict::Violated(how) => Some(FailureKind::Violated(how.clone())),
            Verdict::Lost { side, missing } => match (missing.failure, missing.exit) {
                (Failure::Crashed, exit) => Some(FailureKind::Crashed { side: *side, exit }),
                (Failure::TimedOut, _) | (_, Exit::Timeout) => {
                    Some(FailureKind::Hung { side: *side })
                }
                _ => None,
            },
            Verdict::Holds | Verdict::Invalid(_) => None,
        }
    }

    /// Returns the name that is used in files.
    pub fn name(&self) -> &'static str {
        match self {
            FailureKind::Violated(_) => "violation",
            FailureKind::Crashed { .. } => "crash",
            FailureKind::Hung { .. } => "hang",
        }
    }

    /// Whether this is the same kind of failure in the same place.
    pub(crate) fn is_like(&self, other: &FailureKind) -> bool {
        match (self, other) {
            (FailureKind::Violated(_), FailureKind::Violated(_)) => true,
            _ => self == other,
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |side: &Option<usize>| match side {
            None => "while the database is made",
            Some(0) => "on side a",
            Some(_) => "on side b",
        };
        match self {
            FailureKind::Violated(how) => write!(out, "the sides disagree: {how}"),
            FailureKind::Crashed { side, exit: Exit::Signalled(signal) } => {
                write!(out, "the engine ends by signal {signal} {}", place(side))
            }
            FailureKind::Crashed { side, exit: Exit::Failure(code) } => {
                write!(out, "the engine ends with exit code {code} {}", place(side))
            }
            FailureKind::Crashed { side, .. } => write!(out, "the engine ends {}", place(side)),
            FailureKind::Hung { side } => write!(out, "the engine does not answer {}", place(side)),
        }
    }
}
