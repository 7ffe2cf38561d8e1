//! What is told of groups as they are done.

use std::time::Duration;

use metacov_core::{Context, Group, Missing, Reading};
use metacov_formats::Error;

use crate::SharedTable;

/// Is told of each group as soon as it is done: a file that keeps it, a progress bar. Workers call it
/// concurrently, in no order.
pub trait Observer: Sync {
    /// Whether the group was done in an earlier run, so that it is not folded again.
    fn is_done(&self, _place: u64, _relation: &str, _pair: &str) -> Result<bool, Error> {
        Ok(false)
    }

    /// Whether no group is to be begun any more.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// Takes in a group. An error ends the fold.
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error>;
}

/// A group that is done.
pub struct GroupDone<'g> {
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
    pub table: &'g SharedTable,
}

/// No observer.
impl Observer for () {
    fn on_group(&self, _done: &GroupDone<'_>) -> Result<(), Error> {
        Ok(())
    }
}
