//! What the relations of ternary logic partitioning share: "Finding Bugs in Database Systems via Query Partitioning"
//! (Rigger and Su, OOPSLA 2020). A predicate is true, false or NULL for every row, so the three parts are the whole.

use crate::comparison::Comparison;
use crate::sql::{
    Body, Expr, Generator, Postfix, Query, ResultColumn, Scope, Select, SetOperator, Visible,
    percent,
};

/// Sources of a tested query, at most.
pub const SOURCES_MAX: usize = 3;

/// Combinations of rows that a tested query goes through, at most.
pub const ROWS_MAX: usize = 2000;

/// The depth of a tested predicate.
pub const DEPTH: u32 = 3;

/// The predicate, its negation, and its being NULL.
pub fn parts(predicate: Expr) -> [Expr; 3] {
    [predicate.clone(), predicate.clone().negated(), predicate.postfix(Postfix::IsNull)]
}

/// The three parts of a select, joined by an operator. `place` says where a part's predicate goes.
pub fn partitioned(
    select: &Select,
    predicate: Expr,
    operator: SetOperator,
    place: fn(&mut Select, Expr),
) -> Query {
    let bodies = parts(predicate).map(|part| {
        let mut select = select.clone();
        place(&mut select, part);
        Body::Select(Box::new(select))
    });
    let [first, second, third] = bodies;
    let two = Body::Compound { operator, left: Box::new(first), right: Box::new(second) };
    let body = Body::Compound { operator, left: Box::new(two), right: Box::new(third) };
    Query { with: Vec::new(), body, order_by: Vec::new(), limit: None }
}

/// Sets the WHERE of a select that has none.
pub fn in_where(select: &mut Select, part: Expr) {
    select.filter = Some(part);
}

/// Columns that rows are grouped by, at most.
const KEYS_MAX: usize = 4;

/// Some of the columns in sight and expressions over them, and how results of them compare once equal rows were made
/// one.
pub fn keys(generator: &mut Generator<'_>, scope: &Scope) -> (Vec<Expr>, Comparison) {
    let columns = generator.rng.subset(&scope.columns, 1).into_iter().take(KEYS_MAX);
    let mut comparison = Comparison::Bag;
    let keys = columns.map(|column| {
        if generator.rng.chance(percent::EXPRESSION_KEY) {
            comparison = Comparison::Representatives;
            return generator.within_scope(scope.clone(), Generator::term);
        }
        if !column.exact {
            comparison = Comparison::Representatives;
        }
        column.expr()
    });
    (keys.collect(), comparison)
}

/// Some of the columns in sight and expressions over them, or all columns.
pub fn columns(generator: &mut Generator<'_>, scope: &Scope) -> Vec<ResultColumn> {
    if generator.rng.chance(percent::STAR) {
        return vec![ResultColumn::Star];
    }
    let mut expressions: Vec<Expr> =
        generator.rng.subset(&scope.columns, 1).iter().map(Visible::expr).collect();
    if generator.rng.chance(percent::EXPRESSION_KEY) {
        expressions.push(generator.within_scope(scope.clone(), Generator::term));
    }
    results(&expressions)
}

/// Expressions as results.
pub fn results(expressions: &[Expr]) -> Vec<ResultColumn> {
    expressions.iter().cloned().map(ResultColumn::of).collect()
}
