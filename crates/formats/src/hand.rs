//! One worker's hand in a fold.

use std::collections::BTreeMap;

use metacov_core::{
    Agreement, Context, Group, Missing, Operation, Reading, SiteTable, Suite, Tally, same_build,
};

use crate::numbering::Share;
use crate::{Audience, Done, Error, Fault, Halt, Numbering};

/// What the sides of a group ran; or the first that cannot tell, and why.
pub type Outcome = Result<Group<Reading>, (usize, Missing)>;

/// Takes in groups, in the numbers of a worker's own table, and folds them in the common ones.
pub struct Hand<'n> {
    numbering: &'n Numbering,
    share: Share<'n>,
    operation: Operation,
    relations: BTreeMap<String, Tally>,
    agreement: Agreement,
}

/// A group that a worker has read.
pub struct Read<'g> {
    /// Its place in the plan, from zero.
    pub place: u64,
    /// The relation.
    pub relation: &'g str,
    /// What tells it from others of its relation.
    pub pair: &'g str,
    /// What to call its sides in a message.
    pub sides: &'g [String],
    /// What they ran.
    pub outcome: Outcome,
    /// What it was run on, and how it was judged.
    pub context: Context,
    /// How long that took.
    pub took: std::time::Duration,
}

impl<'n> Hand<'n> {
    /// A hand that has folded nothing yet.
    pub fn new(numbering: &'n Numbering, operation: Operation) -> Self {
        let (relations, agreement) = (BTreeMap::new(), Agreement::default());
        Hand { numbering, share: Share::of(numbering), operation, relations, agreement }
    }

    /// Folds a group, and tells the audience of it.
    pub fn fold(
        &mut self,
        read: Read<'_>,
        table: &SiteTable,
        audience: &dyn Audience,
    ) -> Result<(), Halt> {
        let Read { place, relation, pair, sides, outcome, context, took } = read;
        let outcome = self.renumbered(outcome, sides, table).map_err(Halt::Input)?;
        let done = Done {
            place,
            relation,
            pair,
            sides: sides.len(),
            outcome: outcome.as_ref().map_err(|(side, missing)| (*side, missing)),
            context: &context,
            took,
            numbering: self.numbering,
        };
        audience.hear(&done).map_err(Halt::Audience)?;
        if !self.relations.contains_key(relation) {
            let tally = Tally::of(&self.numbering.table());
            self.relations.insert(relation.to_owned(), tally);
        }
        let Some(tally) = self.relations.get_mut(relation) else { return Ok(()) };
        match outcome {
            Ok(readings) => {
                self.agreement = self.agreement.meet(Agreement::of(&readings));
                tally.add(&readings, self.operation);
            }
            Err((_, missing)) => tally.add_failure(missing.failure),
        }
        Ok(())
    }

    /// Adds what this hand has folded to a suite over the common table.
    pub fn put_into(self, suite: &mut Suite) {
        suite.merge(self.relations, self.agreement);
    }

    /// What the sides ran, under the common numbers.
    fn renumbered(
        &mut self,
        outcome: Outcome,
        sides: &[String],
        table: &SiteTable,
    ) -> Result<Outcome, Error> {
        if let Ok(readings) = &outcome {
            check_sides(table, readings, sides)?;
        }
        // Also what was read before a side failed is code of this build.
        let name = sides.first().map_or("", String::as_str);
        let numbers = self.share.numbers(table, name)?;
        match outcome {
            Ok(readings) => {
                let readings = readings.map(|reading| numbers.reading(reading));
                self.numbering.check(&readings.sides()[0], name)?;
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
