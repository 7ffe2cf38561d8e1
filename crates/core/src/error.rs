//! Errors of sets and tables.

use thiserror::Error;

/// Two covers come from different builds: the same place is different code.
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

/// The caller ended a reduction, and knows why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the reduction was stopped")]
pub struct ReductionStopped;
