//! `NoREC`, "Detecting Optimization Bugs in Database Engines via Non-Optimizing Reference Engine
//! Construction" (Rigger and Su, FSE 2020).

use metacov_core::{Input, Judge, Pair, RelationInfo, Rng, Test};

use super::Relation;
use super::partition::{DEPTH, sources};
use crate::sql::sqlite::{
    Expr, From, Generator, Order, Postfix, Print as _, Query, ResultColumn, Schema, Select, Source,
    percent, printed,
};

/// The number of rows that pass a WHERE, which an index may serve, equals the number of rows for
/// which the predicate, computed for each row, is true.
pub(super) const NOREC: Relation = Relation {
    info: RelationInfo {
        name: "norec",
        about: "a WHERE lets as many rows through as there are rows for which it is true",
    },
    filters_first: true,
    derive,
};

fn derive(schema: &Schema, rng: &mut Rng) -> Test {
    let mut generator = Generator::new(schema, rng);
    let (from, scope) = sources(&mut generator);
    let (predicate, order_by) = generator.within_scope(scope, |generator| {
        let predicate = printed(&[generator.truth(DEPTH)]);
        let ordered = generator.rng.chance(percent::ORDER_BY);
        let orders = ordered.then(|| Order::of(printed(&generator.orders(2))));
        (predicate, Vec::from_iter(orders))
    });
    let counted = rng.chance(percent::NOREC_COUNT);
    let column = if counted { ResultColumn::of(Expr::count_star()) } else { ResultColumn::Star };

    let orders = order_by.first().and_then(|order: &Order| order.expr.shared());
    let parts = [from.shared(), predicate.shared(), orders].into_iter().flatten().collect();
    let mut optimized = Query::of(Select {
        columns: vec![column],
        from: Some(from.clone()),
        filter: Some(predicate.clone()),
        ..Select::default()
    });
    optimized.order_by.clone_from(&order_by);
    let mut truths = Query::of(Select {
        columns: vec![ResultColumn::named(predicate.postfix(Postfix::IsTrue), "count")],
        from: Some(from),
        ..Select::default()
    });
    truths.order_by = order_by;
    let reference = Query::of(Select {
        columns: vec![ResultColumn::of(Expr::call("SUM", vec![Expr::column("", "count")]))],
        from: Some(From::of(Source::derived(truths))),
        ..Select::default()
    });
    let sides = Pair { a: Input::of(optimized.sql()), b: Input::of(reference.sql()) };
    Test::new(sides, if counted { Judge::Number } else { Judge::RowsCounted }, parts)
}
