//! `NoREC`, "Detecting Optimization Bugs in Database Engines via Non-Optimizing Reference Engine
//! Construction" (Rigger and Su, FSE 2020).

use metacov_core::{Input, Judge, Pair, RelationInfo, Test};

use super::{DEPTH, QueryParts, percent};
use crate::sql::ast::{Expr, From, Order, Query, ResultColumn, Select};
use crate::sql::print::{Print as _, printed};

/// The number of rows that pass a WHERE, which an index may serve, equals the number of rows for
/// which the predicate, computed for each row, is true.
pub(crate) const NOREC: RelationInfo = RelationInfo {
    name: "norec",
    about: "a WHERE lets as many rows through as there are rows for which it is true",
};

pub(crate) fn derive<G: QueryParts>(generator: &mut G) -> Test {
    let (from, scope) = generator.sources();
    let from = from.printed();
    let predicate = printed(&[generator.predicate(&scope, DEPTH)]);
    let ordered = generator.rng().chance(percent::ORDER_BY);
    let orders = ordered.then(|| Order::of(printed(&generator.orders(&scope))));
    let order_by = Vec::from_iter(orders);
    let counted = generator.rng().chance(percent::NOREC_COUNT);
    let columns = if counted {
        vec![ResultColumn::of(Expr::count_star())]
    } else {
        generator.all_columns(&scope)
    };

    let orders = order_by.first().and_then(|order: &Order| order.expr.shared());
    let parts = [from.shared(), predicate.shared(), orders].into_iter().flatten().collect();
    let mut optimized = Query::of(Select {
        columns,
        from: Some(from.clone()),
        filter: Some(predicate.clone()),
        ..Select::default()
    });
    optimized.order_by =
        if counted { G::order_of_count(order_by.clone()) } else { order_by.clone() };
    let mut truths = Query::of(Select {
        columns: vec![ResultColumn::named(G::truth_number(predicate), "count")],
        from: Some(from),
        ..Select::default()
    });
    truths.order_by = order_by;
    let reference = Query::of(Select {
        columns: vec![ResultColumn::of(Expr::call("SUM", vec![Expr::column("", "count")]))],
        from: Some(From::of(G::derived(truths))),
        ..Select::default()
    });
    let sides = Pair { a: Input::of(optimized.sql()), b: Input::of(reference.sql()) };
    Test::new(sides, if counted { Judge::Number } else { Judge::RowsCounted }, parts)
}
