//! The optimiser's switches: one query under two configurations.

use metacov_core::{Input, Judge, Pair, RelationInfo, Rng, Test};

use super::query_parts::{ROWS_MAX, SOURCES_MAX};
use crate::sql::ast::{Expr, Limit, Order, Query, Select};
use crate::sql::duckdb::settings::{OFF, ON, disable, optimizers};
use crate::sql::duckdb::{Generator, Schema, Type};
use crate::sql::print::Print as _;
use crate::sql::relations::{DEPTH, QueryParts as _};

/// A query returns the same rows with some or all optimisations disabled.
pub(super) const OPTIMIZER: RelationInfo = RelationInfo {
    name: "optimizer",
    about: "a query has the same rows with optimizations switched off",
};

/// The first version that disables single optimisers by name.
const SINGLE_SINCE: (u16, u16, u16) = (0, 5, 0);

pub(super) fn derive(schema: &Schema, rng: &mut Rng) -> Test {
    let mut generator = Generator::new(schema, rng);
    let query = if generator.rng.chance(50) {
        any_shape(&mut generator)
    } else {
        let (from, scope, _) = generator.from(SOURCES_MAX, ROWS_MAX, 1);
        let columns = generator.all_columns(&scope);
        generator.within_scope(scope, |generator| {
            let filter = Some(generator.truth(DEPTH));
            Query::of(Select { columns, from: Some(from), filter, ..Select::default() })
        })
    };
    let off = if schema.dialect.has(SINGLE_SINCE) && rng.chance(50) {
        let count = rng.weigh(&[(3, 1), (1, 3)]);
        let known = optimizers(|since| schema.dialect.has(since));
        let names: Vec<&str> = (0..count).map(|_| *rng.pick(&known)).collect();
        disable(&names)
    } else {
        OFF.to_owned()
    };
    let sql = query.sql();
    let parts = vec![sql.as_str().into()];
    // Both sides set something, so that setting it does not differ.
    let side = |setting: String| Input { statements: vec![setting, sql.clone()] };
    let on = if off == OFF { ON.to_owned() } else { disable(&[]) };
    Test::new(Pair { a: side(on), b: side(off) }, Judge::Bag, parts)
}

/// A query of any shape, perhaps its first rows.
///
/// Rule: a LIMIT comes with an order by all columns, so that equal rows are the only ties.
fn any_shape(generator: &mut Generator<'_>) -> Query {
    let weights = Type::weights(generator.schema.dialect);
    let mut types: Vec<Type> =
        (0..generator.rng.between(1, 4)).map(|_| generator.rng.weigh(&weights)).collect();
    types.iter_mut().filter(|of| !of.is_shown()).for_each(|of| *of = Type::Varchar);
    let (mut query, _) = generator.query(&types, 1);
    if generator.rng.chance(40) {
        query.order_by = (1..=types.len()).map(|at| Order::of(Expr::ordinal(at))).collect();
        if generator.rng.chance(70) {
            let count = generator.rng.between(0, 9);
            let offset = generator.rng.chance(30).then(|| generator.rng.between(0, 5));
            query.limit = Some(Limit { count, offset });
        }
    }
    query
}
