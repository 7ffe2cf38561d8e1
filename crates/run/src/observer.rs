//! Observers of completed groups.

use std::time::Duration;

use metacov_core::{Context, Group, Missing, Reading, StoredInput};
use metacov_formats::Error;

use crate::SharedTable;

/// Receives each group as soon as it is complete, to store it or to show progress. Workers call it
/// concurrently, in no particular order.
pub trait Observer: Sync {
    /// Whether the group was done in an earlier run, so that it is not folded again.
    fn is_done(&self, _place: u64, _relation: &str, _pair: &str) -> Result<bool, Error> {
        Ok(false)
    }

    /// Sees the inputs that a group which was done in an earlier run has now. An error ends the fold.
    fn check_done(
        &self,
        _relation: &str,
        _pair: &str,
        _inputs: &[Vec<StoredInput>],
    ) -> Result<(), Error> {
        Ok(())
    }

    /// Whether no more groups are to be started.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// Called for each complete group. An error ends the fold.
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error>;
}

/// A complete group.
pub struct GroupDone<'g> {
    /// Its place in the plan, from zero.
    pub place: u64,
    /// The relation.
    pub relation: &'g str,
    /// The name of the group, unique within its relation.
    pub pair: &'g str,
    /// How many sides it has.
    pub sides: usize,
    /// The readings of the sides; or the first side that has no cover, and why.
    pub outcome: Result<&'g Group<Reading>, (usize, &'g Missing)>,
    /// Its inputs and its verdict.
    pub context: &'g Context,
    /// How long running and reading all sides took.
    pub took: Duration,
    /// The site table of the readings.
    pub table: &'g SharedTable,
}

/// No observer.
impl Observer for () {
    fn on_group(&self, _done: &GroupDone<'_>) -> Result<(), Error> {
        Ok(())
    }
}
