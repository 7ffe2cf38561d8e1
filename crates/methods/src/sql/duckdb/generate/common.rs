//! Common table expressions.

use super::Generator;
use crate::sql::ast::{
    Binary, Body, Cte, CteHint, Expr, From, Query, ResultColumn, Select, SetOperator, Source,
};
use crate::sql::duckdb::Type;
use crate::sql::duckdb::schema::{Column, Table};

/// How often one is recursive, in percent.
const RECURSIVE: u32 = 25;

impl Generator<'_> {
    /// A query with a common table expression, which the query that `make` generates may use.
    pub(super) fn with_common(
        &mut self,
        make: impl FnOnce(&mut Self) -> (Query, usize),
    ) -> (Query, usize) {
        let name = self.alias();
        let (types, query, rows) = if self.rng.chance(RECURSIVE) {
            let most = self.rng.between(2, 9);
            (vec![Type::Integer], counting(&name, most), most)
        } else {
            let types: Vec<Type> = (0..self.rng.between(1, 3)).map(|_| self.any_type()).collect();
            let (query, rows) = self.query(&types, 0);
            (types, query, rows)
        };
        let columns: Vec<Column> = Column::numbered(types);
        // Old versions read the hint as a name.
        let hints =
            if self.schema.dialect.has((1, 0, 0)) { CteHint::ALL } else { &[CteHint::None] };
        let hint = *self.rng.pick(hints);
        let names = columns.iter().map(|column| column.name.clone()).collect();
        let cte = Cte { name: name.clone(), columns: names, hint, query };
        // It may contain outer joins, like a view.
        self.common.push(Table { name, is_view: true, columns, rows, sql: String::new() });
        let (mut query, rows) = make(self);
        self.common.pop();
        query.with.push(cte);
        (query, rows)
    }
}

/// The numbers from 1 up to `most`.
fn counting(name: &str, most: usize) -> Query {
    let select = |expr: Expr, from, filter| {
        let columns = vec![ResultColumn::of(expr.cast(Type::Integer))];
        Box::new(Body::Select(Box::new(Select { columns, from, filter, ..Select::default() })))
    };
    let last = || Expr::column(name, "c0");
    let next = last().binary(Binary::Plus, Expr::integer(1));
    let is_less = last().binary(Binary::Less, Expr::ordinal(most));
    let left = select(Expr::integer(1), None, None);
    let right = select(next, Some(From::of(Source::named(name))), Some(is_less));
    let body = Body::Compound { operator: SetOperator::UnionAll, left, right };
    Query { with: Vec::new(), body, order_by: Vec::new(), limit: None }
}
