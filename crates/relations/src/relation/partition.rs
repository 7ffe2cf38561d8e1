//! What the relations of ternary logic partitioning share: "Finding Bugs in Database Systems via Query Partitioning"
//! (Rigger and Su, OOPSLA 2020). A predicate is true, false or NULL for every row, so the three parts are the whole.

use crate::comparison::Comparison;
use crate::sql::{
    Body, Expr, Generator, Postfix, Query, ResultColumn, Select, SetOperator, Visible,
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

/// Some of the columns in sight, and how results of them compare once equal rows were made one.
pub fn keys(generator: &mut Generator<'_>, columns: &[Visible]) -> (Vec<Visible>, Comparison) {
    let columns: Vec<Visible> =
        generator.rng.subset(columns, 1).into_iter().take(KEYS_MAX).collect();
    let exact = columns.iter().all(|column| column.exact);
    (columns, if exact { Comparison::Bag } else { Comparison::Representatives })
}

/// Columns that rows are grouped by, at most.
const KEYS_MAX: usize = 4;

/// Columns as results.
pub fn results(columns: &[Visible]) -> Vec<ResultColumn> {
    columns.iter().map(|column| ResultColumn::of(column.expr())).collect()
}
