//! Relations: each makes tests whose sides must agree.

mod norec;
mod optimizer;
mod partition;
mod tlp_aggregate;
mod tlp_distinct;
mod tlp_groupby;
mod tlp_having;
mod tlp_where;

use crate::rng::Rng;
use crate::sql::Schema;
use crate::test::Test;

/// A metamorphic relation.
pub trait Relation: Sync {
    /// Its name on command lines and in results.
    fn name(&self) -> &'static str;

    /// What it says, in a sentence.
    fn about(&self) -> &'static str;

    /// Whether its predicate filters rows on the first side of its tests, and not on the second: there is a query plan
    /// to look at.
    fn filters_first(&self) -> bool {
        false
    }

    /// A test of it over a database.
    fn derive(&self, schema: &Schema, rng: &mut Rng) -> Test;
}

/// All relations.
pub const ALL: &[&dyn Relation] = &[
    &norec::NoRec,
    &tlp_where::TlpWhere,
    &tlp_groupby::TlpGroupBy,
    &tlp_having::TlpHaving,
    &tlp_distinct::TlpDistinct,
    &tlp_aggregate::TlpAggregate,
    &optimizer::Optimizer,
];
