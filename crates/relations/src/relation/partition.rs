//! What the relations of ternary logic partitioning share: "Finding Bugs in Database Systems via Query Partitioning"
//! (Rigger and Su, OOPSLA 2020). A predicate is true, false or NULL for every row, so the three parts are the whole.

use crate::sql::{Body, Expr, Postfix, Query, Select, SetOperator};

/// Sources of a tested query, at most.
pub const SOURCES_MAX: usize = 3;

/// Combinations of rows that a tested query goes through, at most.
pub const ROWS_MAX: usize = 2500;

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
