//! Relations: each derives tests whose sides must agree.

mod norec;
mod optimizer;
mod partition;
mod tlp_aggregate;
mod tlp_distinct;
mod tlp_groupby;
mod tlp_having;
mod tlp_where;

use metacov_core::{RelationInfo, Rng, Test};

use super::Schema;
use super::query_plan::explain;

/// A metamorphic relation.
pub struct Relation {
    /// Its name and its description.
    pub info: RelationInfo,
    /// Whether the predicate filters rows on the first side of its tests, and not on the second, so
    /// that the query plan of the first side characterises a test.
    filters_first: bool,
    derive: fn(&Schema, &mut Rng) -> Test,
}

/// All relations. Append only: the position of a relation is mixed into the seeds of its tests.
pub const RELATIONS: &[Relation] = &[
    norec::NOREC,
    tlp_where::TLP_WHERE,
    tlp_groupby::TLP_GROUPBY,
    tlp_having::TLP_HAVING,
    tlp_distinct::TLP_DISTINCT,
    tlp_aggregate::TLP_AGGREGATE,
    optimizer::OPTIMIZER,
];

impl Relation {
    /// Derives a test on a database.
    pub fn derive(&self, schema: &Schema, rng: &mut Rng) -> Test {
        let mut test = (self.derive)(schema, rng);
        let side = if self.filters_first { &test.sides.a } else { &test.sides.b };
        let mut statements = side.iter().flat_map(|input| &input.statements);
        test.probe = statements.find(|text| !text.starts_with('.')).map(|query| explain(query));
        test
    }
}
