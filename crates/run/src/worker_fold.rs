//! One worker's part of a fold.

use metacov_core::{Context, Group, Missing, Operation, Reading, SiteTable, SuiteFold, same_build};
use metacov_formats::{Error, Fault};

use crate::shared_table::WorkerTable;
use crate::{GroupDone, Observer, RunError, SharedTable};

/// The readings of the sides of a group; or the first side that has none, and why.
pub type Readings = Result<Group<Reading>, (usize, Missing)>;

/// Folds groups that are numbered by a worker's private table, over the shared table.
pub struct WorkerFold<'n> {
    table: &'n SharedTable,
    own: WorkerTable<'n>,
    folded: SuiteFold,
}

/// A group that a worker has read.
pub struct GroupRead<'g> {
    /// Its place in the plan, from zero.
    pub place: u64,
    /// The relation.
    pub relation: &'g str,
    /// The name of the group, unique within its relation.
    pub pair: &'g str,
    /// The names of its sides for messages.
    pub sides: &'g [String],
    /// The readings of its sides.
    pub readings: Readings,
    /// Its inputs and its verdict.
    pub context: Context,
    /// How long it took.
    pub took: std::time::Duration,
}

impl<'n> WorkerFold<'n> {
    /// Starts a fold of no groups.
    pub fn new(table: &'n SharedTable, operation: Operation) -> Self {
        let folded = SuiteFold::new(&table.table(), operation);
        WorkerFold { table, own: WorkerTable::of(table), folded }
    }

    /// Folds a group, whose sites are numbered by this worker's private table, and calls the
    /// observer.
    pub fn add(
        &mut self,
        read: GroupRead<'_>,
        own_table: &SiteTable,
        observer: &dyn Observer,
    ) -> Result<(), RunError> {
        let GroupRead { place, relation, pair, sides, readings, context, took } = read;
        let readings = self.renumbered(readings, sides, own_table)?;
        let done = GroupDone {
            place,
            relation,
            pair,
            sides: sides.len(),
            outcome: readings.as_ref().map_err(|(side, missing)| (*side, missing)),
            context: &context,
            took,
            table: self.table,
        };
        observer.on_group(&done).map_err(RunError::Output)?;
        let outcome = readings.as_ref().map_err(|(_, missing)| missing.failure);
        self.folded.add(relation, outcome, context.verdict.as_ref());
        Ok(())
    }

    /// Returns the result, over the shared table.
    pub fn finish(self) -> SuiteFold {
        self.folded
    }

    /// The readings of the sides, with the numbers of the shared table.
    fn renumbered(
        &mut self,
        readings: Readings,
        sides: &[String],
        own_table: &SiteTable,
    ) -> Result<Readings, Error> {
        if let Ok(readings) = &readings {
            check_sides(own_table, readings, sides)?;
        }
        // What was read before a side failed is code of this build too.
        let name = sides.first().map_or("", String::as_str);
        let numbers = self.own.numbers(own_table, name)?;
        match readings {
            Ok(readings) => {
                let readings = readings.map(|reading| numbers.reading(reading));
                self.table.check(&readings.sides()[0], name)?;
                Ok(Ok(readings))
            }
            Err(missing) => Ok(Err(missing)),
        }
    }
}

/// Refuses sides of different builds. The error names the side that differs from the first.
fn check_sides(
    table: &SiteTable,
    readings: &Group<Reading>,
    sides: &[String],
) -> Result<(), Error> {
    let [first, others @ ..] = readings.sides() else { return Ok(()) };
    for (other, side) in others.iter().zip(&sides[1..]) {
        same_build(table, &first.known, &other.known).map_err(|mismatch| {
            let earlier = sides[0].clone();
            Fault::OtherBuild { earlier, mismatch }.of(side)
        })?;
    }
    Ok(())
}
