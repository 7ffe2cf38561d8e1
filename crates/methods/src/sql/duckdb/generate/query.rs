//! Random queries.

use std::rc::Rc;

use super::Generator;
use crate::sql::ast::{Binary, Body, Expr, Query, ResultColumn, Select, SetOperator};
use crate::sql::duckdb::Type;

/// The most combinations of rows that a derived table or a view iterates over.
const DERIVED_ROWS_MAX: usize = 3000;

/// The same for a query in an expression, which may run once for each row of the enclosing one.
pub(super) const SUBQUERY_ROWS_MAX: usize = 50;

/// How often something is chosen, in percent.
mod percent {
    pub(super) const WITH: u32 = 15;
    pub(super) const COMPOUND: u32 = 18;
    pub(super) const GROUPED: u32 = 20;
    pub(super) const WINDOW: u32 = 12;
    pub(super) const QUALIFY: u32 = 7;
}

const SET_OPERATORS: &[SetOperator] = SetOperator::ALL;

/// Those that all versions have.
const OLD_SET_OPERATORS: &[SetOperator] =
    &[SetOperator::UnionAll, SetOperator::Union, SetOperator::Intersect, SetOperator::Except];

impl Generator<'_> {
    /// A query whose columns have these types and the names `c0`, `c1` and so on, and an estimate
    /// of its rows.
    pub(crate) fn query(&mut self, types: &[Type], depth: u32) -> (Query, usize) {
        if depth > 0 && self.schema.dialect.has((0, 5, 0)) && self.rng.chance(percent::WITH) {
            return self.with_common(|generator| generator.query(types, 0));
        }
        if depth == 0 || !self.rng.chance(percent::COMPOUND) {
            let (select, rows) = self.select(types);
            return (Query::of(select), rows);
        }
        let is_modern = self.schema.dialect.has((1, 0, 0));
        let operators = if is_modern { SET_OPERATORS } else { OLD_SET_OPERATORS };
        let operator = *self.rng.pick(operators);
        let (left, left_rows) = self.select(types);
        let (right, right_rows) = self.select(types);
        let [left, right] = [left, right].map(|select| Box::new(Body::Select(Box::new(select))));
        let body = Body::Compound { operator, left, right };
        let query = Query { with: Vec::new(), body, order_by: Vec::new(), limit: None };
        (query, left_rows + right_rows)
    }

    /// A query of one row of constants.
    pub(super) fn constants(&mut self, types: &[Type]) -> Query {
        let column = |(at, of): (usize, &Type)| {
            ResultColumn::named(self.literal(*of).cast(*of), &format!("c{at}"))
        };
        let columns = types.iter().enumerate().map(column).collect();
        Query::of(Select { columns, ..Select::default() })
    }

    /// A SELECT without groups, which sees the enclosing queries.
    /// `column` generates its columns.
    pub(super) fn plain_query(
        &mut self,
        types: &[Type],
        column: fn(&mut Self, Type) -> Expr,
    ) -> Query {
        let (from, scope, _) = self.from(2, SUBQUERY_ROWS_MAX, 0);
        self.within_scope(scope, |generator| {
            let columns = generator.typed_columns(types, column);
            let filter = generator.rng.chance(70).then(|| generator.truth(2));
            Query::of(Select { columns, from: Some(from), filter, ..Select::default() })
        })
    }

    fn select(&mut self, types: &[Type]) -> (Select, usize) {
        let (from, scope, rows) = self.from(2, DERIVED_ROWS_MAX, 0);
        let is_grouped = self.rng.chance(percent::GROUPED);
        let select = self.within_scope(Rc::clone(&scope), |generator| {
            let filter = generator.rng.chance(50).then(|| generator.truth(2));
            let select = Select { from: Some(from), filter, ..Select::default() };
            if is_grouped {
                return generator.grouped(types, &scope, select);
            }
            let columns = generator.typed_columns(types, |generator, of| {
                let window = if generator.rng.chance(percent::WINDOW) {
                    generator.window(of, &scope)
                } else {
                    None
                };
                window.unwrap_or_else(|| generator.value(of, 2))
            });
            let is_qualified =
                generator.schema.dialect.has((1, 0, 0)) && generator.rng.chance(percent::QUALIFY);
            let qualify = if is_qualified { generator.window(Type::BigInt, &scope) } else { None };
            let qualify = qualify.map(|rank| {
                let most = generator.small(1, 4);
                rank.binary(Binary::LessEqual, most)
            });
            let distinct = generator.rng.chance(15);
            Select { distinct, columns, qualify, ..select }
        });
        (select, rows)
    }

    /// Columns of these types. They are cast, because an expression may have a narrower or wider
    /// type than it is generated for.
    pub(super) fn typed_columns(
        &mut self,
        types: &[Type],
        mut make: impl FnMut(&mut Self, Type) -> Expr,
    ) -> Vec<ResultColumn> {
        let mut columns = Vec::new();
        for (at, of) in types.iter().enumerate() {
            let expr = make(self, *of).cast(*of);
            columns.push(ResultColumn::named(expr, &format!("c{at}")));
        }
        columns
    }
}
