//! Random queries.

use super::Generator;
use crate::sql::ast::{Body, Expr, Query, ResultColumn, Select, SetOperator};
use crate::sql::duckdb::Type;

/// The most combinations of rows that a derived table or a view iterates over.
const DERIVED_ROWS_MAX: usize = 3000;

/// The same for a query in an expression, which may run once for each row of the enclosing one.
pub(super) const SUBQUERY_ROWS_MAX: usize = 50;

impl Generator<'_> {
    /// A query whose columns have these types and the names `c0`, `c1` and so on, and an estimate
    /// of its rows.
    pub(crate) fn query(&mut self, types: &[Type], depth: u32) -> (Query, usize) {
        if depth == 0 || self.rng.chance(80) {
            let (select, rows) = self.select(types);
            return (Query::of(select), rows);
        }
        let operator = *self.rng.pick(SetOperator::ALL);
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
        let is_grouped = self.rng.chance(20);
        let select = self.within_scope(std::rc::Rc::clone(&scope), |generator| {
            let filter = generator.rng.chance(50).then(|| generator.truth(2));
            if !is_grouped {
                let columns =
                    generator.typed_columns(types, |generator, of| generator.value(of, 2));
                let distinct = generator.rng.chance(15);
                return Select { distinct, columns, from: Some(from), filter, ..Select::default() };
            }
            let keys: Vec<Expr> =
                generator.visible(|_| true).iter().map(super::Visible::expr).collect();
            generator.grouped = Some(scope);
            generator.scopes.push(std::rc::Rc::default());
            let columns = generator.typed_columns(types, |generator, of| {
                generator.aggregate(of).unwrap_or_else(|| generator.literal(of))
            });
            generator.scopes.pop();
            generator.grouped = None;
            Select { columns, from: Some(from), filter, group_by: keys, ..Select::default() }
        });
        (select, rows)
    }

    /// Columns of these types. They are cast, because an expression may have a narrower or wider
    /// type than it is generated for.
    fn typed_columns(
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
