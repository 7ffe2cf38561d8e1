//! TLP on WHERE.

use metacov_core::{Input, Judge, Pair, RelationInfo, Test};

use super::partition::{in_where, partitioned, parts, shared, whole_and_parts};
use super::{DEPTH, QueryParts, percent};
use crate::sql::ast::{Order, Query, Select, SetOperator};
use crate::sql::print::{Print as _, printed};

/// The rows for which a predicate is true, those for which it is false and those for which it is
/// NULL are all rows.
pub(crate) const TLP_WHERE: RelationInfo = RelationInfo {
    name: "tlp-where",
    about: "the rows of the three parts of a WHERE are all rows",
};

pub(crate) fn derive(generator: &mut impl QueryParts) -> Test {
    let (from, scope) = generator.sources();
    let from = from.printed();
    let columns = generator.columns(&scope);
    let ordered = generator.rng().chance(percent::ORDER_BY);
    let predicate = printed(&[generator.predicate(&scope, DEPTH)]);
    let orders = ordered.then(|| generator.orders(&scope));
    let whole = Select { columns, from: Some(from), ..Select::default() };
    let Some(orders) = orders else {
        let parts = partitioned(&whole, &predicate, SetOperator::UnionAll, in_where);
        return whole_and_parts(whole, &parts, &predicate, Judge::Bag);
    };
    // A compound can be ordered only by its columns, so with an order there are three statements.
    let order = Order::of(printed(&orders));
    let mut shared = shared(&whole, &predicate);
    shared.extend(order.expr.shared());
    let ordered = |select: Select| {
        let mut query = Query::of(select);
        query.order_by.push(order.clone());
        query.sql()
    };
    let part = |part| ordered(Select { filter: Some(part), ..whole.clone() });
    let statements = parts(&predicate).map(part).to_vec();
    let sides = Pair { a: Input::of(ordered(whole)), b: Input { statements } };
    Test::new(sides, Judge::Bag, shared)
}
