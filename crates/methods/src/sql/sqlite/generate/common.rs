//! Queries over common table expressions.

use super::query::{Shaped, finish};
use super::source::column;
use super::{Generator, Scope};
use crate::sql::ast::{
    Binary, Body, Cte, CteHint, Expr, From, Join, JoinConstraint, JoinKind, Query, ResultColumn,
    Select, SetOperator, Source,
};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::schema::Column;

impl Generator<'_> {
    /// A common table expression that is used once or twice.
    pub fn common(&mut self, columns: usize, depth: u32) -> Shaped {
        let inner_columns = self.rng.between(1, 3);
        let inner = self.plain(inner_columns, depth.saturating_sub(1));
        let name = format!("w{}", self.alias());
        let names: Vec<String> =
            (0..inner.columns.len()).map(|place| format!("c{place}")).collect();
        let hint = *self.rng.pick(CteHint::ALL);
        let cte = Cte { name: name.clone(), columns: names.clone(), hint, query: inner.query };
        let renamed: Vec<Column> = inner
            .columns
            .iter()
            .zip(&names)
            .map(|(column, name)| Column { name: name.clone(), ..column.clone() })
            .collect();
        self.over_common(cte, &renamed, inner.rows, columns)
    }

    /// A common table expression that counts.
    pub fn recursive(&mut self, columns: usize) -> Shaped {
        let end = self.rng.between(1, 8);
        let mut cte = counter(format!("w{}", self.alias()), end);
        if let Body::Compound { operator, .. } = &mut cte.query.body {
            *operator = *self.rng.pick(&[SetOperator::UnionAll, SetOperator::Union]);
        }
        self.over_common(cte, &[column("x", Class::Integer)], end, columns)
    }

    fn over_common(
        &mut self,
        cte: Cte,
        named: &[Column],
        mut rows: usize,
        columns: usize,
    ) -> Shaped {
        let scope = Scope::of(&cte.name, named, false);
        let mut joins = Vec::new();
        if rows < 40 && self.rng.chance(30) {
            let mut again = Source::named(&cte.name);
            again.alias = Some(self.alias());
            rows *= rows;
            let (kind, constraint) = (JoinKind::Comma, JoinConstraint::None);
            joins.push(Join { natural: false, kind, source: again, constraint });
        }
        let from = From { first: Source::named(&cte.name), joins };
        let mut select = Select { from: Some(from), ..Select::default() };
        let outputs = self.within_scope(scope, |generator| {
            select.filter = generator.inner_filter(1);
            (0..columns).map(|_| generator.output()).collect()
        });
        let mut shaped = finish(select, outputs, rows);
        shaped.query.with = vec![cte];
        shaped
    }
}

/// A common table expression that counts from 1 to `end`, as `x`.
pub fn counter(name: String, end: usize) -> Cte {
    let x = || Expr::column("", "x");
    let first = Select { columns: vec![ResultColumn::of(Expr::integer(1))], ..Select::default() };
    let next = Select {
        columns: vec![ResultColumn::of(x().binary(Binary::Plus, Expr::integer(1)))],
        from: Some(From::of(Source::named(&name))),
        filter: Some(x().binary(Binary::Less, Expr::ordinal(end))),
        ..Select::default()
    };
    let body = Body::Compound {
        operator: SetOperator::UnionAll,
        left: Box::new(Body::Select(Box::new(first))),
        right: Box::new(Body::Select(Box::new(next))),
    };
    let query = Query { with: Vec::new(), body, order_by: Vec::new(), limit: None };
    Cte { name, columns: vec!["x".to_owned()], hint: CteHint::None, query }
}
