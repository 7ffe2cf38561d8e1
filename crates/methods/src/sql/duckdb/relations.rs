//! Relations on databases of DuckDB.

mod optimizer;
mod prepared;
mod query_parts;
mod tlp_aggregate;

use metacov_core::{RelationInfo, Rng, Test};

use super::query_plan::explain;
use super::{Generator, Schema};
use crate::sql::relations::{self, norec, tlp_distinct, tlp_groupby, tlp_having, tlp_where};

/// A metamorphic relation.
pub type Relation = relations::Relation<Schema>;

/// All relations. Append only: the position of a relation is mixed into the seeds of its tests.
pub const RELATIONS: &[Relation; 8] = &[
    on_duckdb(norec::NOREC, true, |schema, rng| norec::derive(&mut Generator::new(schema, rng))),
    on_duckdb(tlp_where::TLP_WHERE, false, |schema, rng| {
        tlp_where::derive(&mut Generator::new(schema, rng))
    }),
    on_duckdb(tlp_groupby::TLP_GROUPBY, false, |schema, rng| {
        tlp_groupby::derive(&mut Generator::new(schema, rng))
    }),
    on_duckdb(tlp_having::TLP_HAVING, false, |schema, rng| {
        tlp_having::derive(&mut Generator::new(schema, rng))
    }),
    on_duckdb(tlp_distinct::TLP_DISTINCT, false, |schema, rng| {
        tlp_distinct::derive(&mut Generator::new(schema, rng))
    }),
    on_duckdb(tlp_aggregate::TLP_AGGREGATE, false, tlp_aggregate::derive),
    on_duckdb(optimizer::OPTIMIZER, true, optimizer::derive),
    on_duckdb(prepared::PREPARED, true, prepared::derive),
];

const fn on_duckdb(
    info: RelationInfo,
    filters_first: bool,
    derive: fn(&Schema, &mut Rng) -> Test,
) -> Relation {
    Relation { info, filters_first, derive, explain }
}
