//! Queries inside expressions.

use super::Generator;
use crate::sql::ast::{Binary, Expr, Limit, Literal, Members, Query, ResultColumn, Select};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::schema::{Table, TableKind};
use crate::sql::sqlite::weights::percent;

/// The most rows of a subquery's sources: it runs for every row of the enclosing query.
const ROWS_MAX: usize = 40;

impl Generator<'_> {
    /// A scalar subquery, if another subquery is allowed.
    ///
    /// Rule: the value is well-defined. It is an aggregate, or the first of exact values in their
    /// own order.
    pub fn scalar(&mut self, depth: u32) -> Option<Expr> {
        if self.rng.chance(percent::SHOWN)
            && let Some(shown) = self.shown()
        {
            return Some(shown);
        }
        self.nested(|generator| {
            let (from, scope, _) = generator.from(1, ROWS_MAX, 0);
            generator.scopes.push(scope);
            let filter =
                generator.rng.chance(percent::INNER_WHERE).then(|| generator.truth(depth.min(1)));
            let query = if generator.rng.chance(65) {
                let aggregate = generator.aggregate().expr;
                let columns = vec![ResultColumn::of(aggregate)];
                Query::of(Select { columns, from: Some(from), filter, ..Select::default() })
            } else {
                let (expr, _) = generator.exact(1);
                let columns = vec![ResultColumn::of(expr)];
                let mut query =
                    Query::of(Select { columns, from: Some(from), filter, ..Select::default() });
                query.order_by = vec![generator.order(Expr::integer(1))];
                query.limit = Some(Limit { count: 1, offset: None });
                query
            };
            generator.scopes.pop();
            Expr::Scalar(Box::new(query))
        })
    }

    /// `[NOT] EXISTS (..)`, if another subquery is allowed.
    pub fn exists(&mut self, depth: u32) -> Option<Expr> {
        let negated = self.negation();
        self.nested(|generator| {
            let (from, scope, _) = generator.from(1, ROWS_MAX, 0);
            generator.scopes.push(scope);
            let filter = Some(generator.truth(depth.min(1)));
            generator.scopes.pop();
            let columns = vec![ResultColumn::of(Expr::integer(1))];
            let query =
                Query::of(Select { columns, from: Some(from), filter, ..Select::default() });
            Expr::Exists { negated, query: Box::new(query) }
        })
    }

    /// `operand [NOT] IN (..)`, with a list of constants if no subquery is allowed.
    pub fn within(&mut self, operand: Expr, columns: usize, depth: u32) -> Expr {
        let negated = self.negation();
        if let Some(members) = self.whole_table(columns) {
            return Expr::In { negated, operand: Box::new(operand), members };
        }
        let query = self.nested(|generator| {
            if generator.rng.chance(40) {
                return generator
                    .isolated(|generator| generator.query(columns, depth.min(1)).query);
            }
            let (from, scope, _) = generator.from(1, ROWS_MAX, 0);
            generator.scopes.push(scope);
            let outputs =
                (0..columns).map(|_| ResultColumn::of(generator.column(Class::Any))).collect();
            let filter =
                generator.rng.chance(percent::INNER_WHERE).then(|| generator.truth(depth.min(1)));
            generator.scopes.pop();
            Query::of(Select { columns: outputs, from: Some(from), filter, ..Select::default() })
        });
        let Some(query) = query else { return self.among_constants(negated, operand, columns) };
        Expr::In { negated, operand: Box::new(operand), members: Members::Query(Box::new(query)) }
    }

    /// `operand [NOT] IN (..)` with constants.
    fn among_constants(&mut self, negated: bool, operand: Expr, columns: usize) -> Expr {
        if columns == 1 {
            let count = self.rng.between(1, 3);
            let list = self.constants(count).into_iter().map(Expr::Literal).collect();
            return Expr::In { negated, operand: Box::new(operand), members: Members::List(list) };
        }
        let row = Expr::Row(self.constants(columns).into_iter().map(Expr::Literal).collect());
        operand.binary(if negated { Binary::IsNot } else { Binary::Equal }, row)
    }

    /// Sometimes, a table with as many columns.
    fn whole_table(&mut self, columns: usize) -> Option<Members> {
        let fits = |table: &&Table| {
            table.kind == TableKind::Ordinary
                && table.columns.len() == columns
                && table.rows <= ROWS_MAX
        };
        let tables: Vec<&Table> = self.schema.tables.iter().filter(fits).collect();
        if tables.is_empty() || self.subqueries_left == 0 || self.own_only || !self.rng.chance(15) {
            return None;
        }
        Some(Members::Table(self.rng.pick(&tables).name.clone()))
    }

    /// Constants of any class.
    pub fn constants(&mut self, count: usize) -> Vec<Literal> {
        (0..count).map(|_| self.literal(Class::Any)).collect()
    }

    /// Runs `make` if another subquery is allowed here.
    pub fn nested<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        // Rule: no subqueries in arguments of aggregates and in HAVING over groups, because their
        // own aggregates could be attributed to the outer query.
        if self.subqueries_left == 0 || self.own_only || self.grouped.is_some() {
            return None;
        }
        self.subqueries_left -= 1;
        Some(make(self))
    }
}
