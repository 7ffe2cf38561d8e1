//! TLP on WHERE.

use metacov_core::{Input, Judge, Pair, RelationInfo, Rng, Test};

use super::Relation;
use super::partition::{
    DEPTH, columns, in_where, partitioned, parts, shared, sources, whole_and_parts,
};
use crate::sql::sqlite::{
    Generator, Order, Print as _, Query, Schema, Select, SetOperator, percent, printed,
};

/// The rows for which a predicate is true, those for which it is false and those for which it is
/// NULL are all rows.
pub(super) const TLP_WHERE: Relation = Relation {
    info: RelationInfo {
        name: "tlp-where",
        about: "the rows of the three parts of a WHERE are all rows",
    },
    filters_first: false,
    derive,
};

fn derive(schema: &Schema, rng: &mut Rng) -> Test {
    let mut generator = Generator::new(schema, rng);
    let (from, scope) = sources(&mut generator);
    let columns = columns(&mut generator, &scope);
    let (predicate, orders) = generator.within_scope(scope, |generator| {
        let ordered = generator.rng.chance(percent::ORDER_BY);
        (printed(&[generator.truth(DEPTH)]), ordered.then(|| generator.orders(2)))
    });
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
