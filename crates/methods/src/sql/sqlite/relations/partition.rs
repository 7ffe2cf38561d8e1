//! What the relations of ternary logic partitioning share: "Finding Bugs in Database Systems via
//! Query Partitioning" (Rigger and Su, OOPSLA 2020). A predicate is true, false or NULL for every
//! row, so the three partitions are the whole.

use std::rc::Rc;

use metacov_core::{Input, Judge, Pair, Rng, Test};

use crate::sql::sqlite::{
    Body, Expr, From, Generator, Postfix, Print as _, Query, ResultColumn, Schema, Scope, Select,
    SetOperator, percent, printed,
};

/// The most sources of a tested query.
pub const SOURCES_MAX: usize = 3;

/// The most combinations of rows that a tested query iterates over.
pub const ROWS_MAX: usize = 600;

/// The depth of a tested predicate.
pub const DEPTH: u32 = 3;

/// The sources of a tested query, printed once for both sides.
pub fn sources(generator: &mut Generator<'_>) -> (From, Rc<Scope>) {
    let (from, scope, _) = generator.from(SOURCES_MAX, ROWS_MAX, 1);
    (from.printed(), scope)
}

/// A printed predicate, its negation, and its test for NULL.
pub fn parts(predicate: &Expr) -> [Expr; 3] {
    [predicate.clone(), predicate.clone().negated(), predicate.clone().postfix(Postfix::IsNull)]
}

/// The three partitions of a select, joined by an operator. `place` inserts the predicate of a
/// partition.
pub fn partitioned(
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
pub fn in_where(select: &mut Select, part: Expr) {
    select.filter = Some(part);
}

/// A test whose first side is a select and whose second side is its three partitions, joined by an
/// operator.
pub fn whole_and_parts(whole: Select, parts: &Query, predicate: &Expr, judge: Judge) -> Test {
    let shared = shared(&whole, predicate);
    let sides = Pair { a: Input::of(Query::of(whole).sql()), b: Input::of(parts.sql()) };
    Test::new(sides, judge, shared)
}

/// The text that a select and its three partitions share.
pub fn shared(select: &Select, predicate: &Expr) -> Vec<Rc<str>> {
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
pub fn united(schema: &Schema, rng: &mut Rng, shape: fn(Expr) -> Select) -> Test {
    let mut generator = Generator::new(schema, rng);
    let (from, scope) = sources(&mut generator);
    let (keys, judge) = keys(&mut generator, &scope);
    let predicate = generator.within_scope(scope, |generator| printed(&[generator.truth(DEPTH)]));
    let whole = Select { from: Some(from), ..shape(printed(&keys)) };
    let parts = partitioned(&whole, &predicate, SetOperator::Union, in_where);
    whole_and_parts(whole, &parts, &predicate, judge)
}

/// The most columns that rows are grouped by.
const KEYS_MAX: usize = 4;

/// Some visible columns and expressions over them, and how results compare after equal rows were
/// merged.
pub fn keys(generator: &mut Generator<'_>, scope: &Rc<Scope>) -> (Vec<Expr>, Judge) {
    let columns = generator.rng.subset(&scope.columns, 1).into_iter().take(KEYS_MAX);
    let mut judge = Judge::Bag;
    let keys = columns.map(|column| {
        if generator.rng.chance(percent::EXPRESSION_KEY) {
            judge = Judge::Representatives;
            return generator.within_scope(Rc::clone(scope), Generator::term);
        }
        if !column.exact {
            judge = Judge::Representatives;
        }
        column.expr()
    });
    (keys.collect(), judge)
}

/// Some visible columns and expressions over them, or all columns; printed once.
pub fn columns(generator: &mut Generator<'_>, scope: &Rc<Scope>) -> Vec<ResultColumn> {
    if generator.rng.chance(percent::STAR) {
        return vec![ResultColumn::Star];
    }
    let chosen = generator.rng.subset(&scope.columns, 1);
    let mut expressions: Vec<Expr> = chosen.into_iter().map(|column| column.expr()).collect();
    if generator.rng.chance(percent::EXPRESSION_KEY) {
        expressions.push(generator.within_scope(Rc::clone(scope), Generator::term));
    }
    vec![ResultColumn::of(printed(&expressions))]
}
