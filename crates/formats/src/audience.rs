//! Who is told of groups as they are done.

use std::time::Duration;

use metacov_core::{Context, Group, Missing, Reading};

use crate::{Error, Numbering};

/// Somebody who is told of each group as soon as it is done: a file that keeps it, a bar that
/// moves. Workers tell it side by side, in no order.
pub trait Audience: Sync {
    /// Whether the group is known from before, so that it is not folded again.
    fn knows(&self, _place: u64, _relation: &str, _pair: &str) -> Result<bool, Error> {
        Ok(false)
    }

    /// Hears of a group. An error ends the fold.
    fn hear(&self, done: &Done<'_>) -> Result<(), Error>;
}

/// A group that is done.
pub struct Done<'g> {
    /// Its place in the plan, from zero.
    pub place: u64,
    /// The relation.
    pub relation: &'g str,
    /// What tells it from others of its relation.
    pub pair: &'g str,
    /// How many sides it has.
    pub sides: usize,
    /// What the sides ran; or the first side that has no cover, and why.
    pub outcome: Result<&'g Group<Reading>, (usize, &'g Missing)>,
    /// What it was run on, and how it was judged.
    pub context: &'g Context,
    /// How long it took to run and to read all sides.
    pub took: Duration,
    /// What the readings' numbers stand for.
    pub numbering: &'g Numbering,
}

/// Nobody.
impl Audience for () {
    fn hear(&self, _done: &Done<'_>) -> Result<(), Error> {
        Ok(())
    }
}
