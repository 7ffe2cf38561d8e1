//! What can go wrong with sets and tables.

use thiserror::Error;

/// Two covers come from different builds: the same place is not the same code.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place} is not the same code")]
pub struct BuildMismatch {
    /// The place, as `file:line`.
    pub place: String,
}

/// A group of fewer than two sides has no pairs, hence no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a group needs at least two sides")]
pub struct GroupTooSmall;

/// A reduction was ended by the caller's answer. The caller knows why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the reduction was stopped")]
pub struct ReductionStopped;
