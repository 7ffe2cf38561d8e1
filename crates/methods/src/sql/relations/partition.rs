//! What the relations of ternary logic partitioning share: "Finding Bugs in Database Systems via
//! Query Partitioning" (Rigger and Su, OOPSLA 2020). A predicate is true, false or NULL for every
//! row, so the three partitions are the whole.

use std::rc::Rc;

use metacov_core::{Input, Judge, Pair, Test};

use super::{DEPTH, QueryParts};
use crate::sql::ast::{Body, Expr, From, Postfix, Query, ResultColumn, Select, SetOperator};
use crate::sql::print::{Print as _, printed};

/// A printed predicate, its negation, and its test for NULL.
pub(crate) fn parts(predicate: &Expr) -> [Expr; 3] {
    [predicate.clone(), predicate.clone().negated(), predicate.clone().postfix(Postfix::IsNull)]
}

/// The three partitions of a select, joined by an operator. `place` inserts the predicate of a
/// partition.
pub(crate) fn partitioned(
    select: &Select,
    predicate: &Expr,
    operator: SetOperator,
    place: fn(&mut Select, Expr),
) -> Query {
    let [first, second, third] = parts(predicate).map(|part| {
        let mut select = select.clone();
        place(&mut select, part);
        Body::Select(Box::new(select))
    });
    let two = Body::Compound { operator, left: Box::new(first), right: Box::new(second) };
    let body = Body::Compound { operator, left: Box::new(two), right: Box::new(third) };
    Query { with: Vec::new(), body, order_by: Vec::new(), limit: None }
}

/// Sets the WHERE of a select that has none.
pub(crate) fn in_where(select: &mut Select, part: Expr) {
    select.filter = Some(part);
}

/// A test whose first side is a select and whose second side is its three partitions, joined by an
/// operator.
pub(crate) fn whole_and_parts(
    whole: Select,
    parts: &Query,
    predicate: &Expr,
    judge: Judge,
) -> Test {
    let shared = shared(&whole, predicate);
    let sides = Pair { a: Input::of(Query::of(whole).sql()), b: Input::of(parts.sql()) };
    Test::new(sides, judge, shared)
}

/// The text that a select and its three partitions share.
pub(crate) fn shared(select: &Select, predicate: &Expr) -> Vec<Rc<str>> {
    let columns = select.columns.iter().filter_map(|column| match column {
        ResultColumn::Expr { expr, .. } => expr.shared(),
        ResultColumn::Star => None,
    });
    let from = select.from.iter().filter_map(From::shared);
    let filter = select.filter.iter().filter_map(Expr::shared);
    from.chain(columns).chain(filter).chain(predicate.shared()).collect()
}

/// A test on rows that are merged if they have equal keys: the union of the three partitions of a
/// WHERE equals the whole. `shape` creates the select of the keys.
pub(crate) fn united<G: QueryParts>(generator: &mut G, shape: fn(Expr) -> Select) -> Test {
    let (from, scope) = generator.sources();
    let from = from.printed();
    let (keys, judge) = generator.keys(&scope);
    let predicate = printed(&[generator.predicate(&scope, DEPTH)]);
    let whole = Select { from: Some(from), ..shape(printed(&keys)) };
    let parts = partitioned(&whole, &predicate, SetOperator::Union, in_where);
    whole_and_parts(whole, &parts, &predicate, judge)
}
