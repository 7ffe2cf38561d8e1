//! Prepared statements: a plan that is made once, without the values of its parameter, and run with
//! several of them.

use metacov_core::{Input, Judge, Pair, RelationInfo, Rng, Test};

use crate::sql::ast::{Binary, Expr, Query, Select};
use crate::sql::duckdb::{Generator, Schema};
use crate::sql::print::{Print as _, printed};
use crate::sql::relations::partition::shared;
use crate::sql::relations::{DEPTH, QueryParts as _};

/// Queries that differ in a constant return the same rows as one prepared statement whose parameter
/// has these values.
pub(super) const PREPARED: RelationInfo = RelationInfo {
    name: "prepared",
    about: "queries with a constant have the rows of a prepared one with a parameter",
};

/// How many values the parameter has, one after the other.
const VALUES: usize = 2;

const COMPARISONS: &[Binary] = &[
    Binary::Equal,
    Binary::NotEqual,
    Binary::Less,
    Binary::LessEqual,
    Binary::Greater,
    Binary::GreaterEqual,
];

pub(super) fn derive(schema: &Schema, rng: &mut Rng) -> Test {
    let mut generator = Generator::new(schema, rng);
    let (from, scope) = generator.sources();
    let from = from.printed();
    let columns = generator.columns(&scope);
    let predicate = printed(&[generator.predicate(&scope, DEPTH - 1)]);
    let column = generator.rng.pick(&scope.columns).clone();
    let values: [Expr; VALUES] =
        std::array::from_fn(|_| printed(&[generator.literal_or_null(column.of)]));
    let compared = printed(&[column.expr()]);
    let comparison = *generator.rng.pick(COMPARISONS);
    let connective = *generator.rng.pick(&[Binary::And, Binary::And, Binary::Or]);
    let whole = Select { columns, from: Some(from), ..Select::default() };
    // The cast gives the parameter its type, and a constant that a reduction has changed, too.
    let query = |value: Expr| {
        let comparison = compared.clone().binary(comparison, value.cast(column.of));
        let filter = Some(predicate.clone().binary(connective, comparison));
        Query::of(Select { filter, ..whole.clone() }).sql()
    };
    let mut parts = shared(&whole, &predicate);
    parts.extend([&compared].into_iter().chain(&values).filter_map(Expr::shared));
    let constant = values.iter().map(|value| query(value.clone())).collect();
    let mut prepared = vec![format!("PREPARE q AS {}", query(Expr::Printed("?".into())))];
    prepared.extend(values.iter().map(|value| format!("EXECUTE q({})", value.sql())));
    prepared.push("DEALLOCATE q".to_owned());
    let sides = Pair { a: Input { statements: constant }, b: Input { statements: prepared } };
    Test::new(sides, Judge::Bag, parts)
}
