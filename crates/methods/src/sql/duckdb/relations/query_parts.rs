//! The parts of queries that relations on DuckDB ask for.

use std::rc::Rc;

use metacov_core::{Judge, Rng};

use crate::sql::ast::{Binary, Expr, From, Order, Postfix, Query, ResultColumn, Source};
use crate::sql::duckdb::{Generator, Scope, Type, Visible};
use crate::sql::print::printed;
use crate::sql::relations::QueryParts;

/// The most sources of a tested query.
pub(super) const SOURCES_MAX: usize = 3;

/// The most combinations of rows that a tested query iterates over.
pub(super) const ROWS_MAX: usize = 3000;

/// The most columns that rows are grouped by.
const KEYS_MAX: usize = 4;

/// How often a tested query selects all columns, and how often a key is an expression, in percent.
const STAR: u32 = 40;
const EXPRESSION_KEY: u32 = 20;

impl QueryParts for Generator<'_> {
    type Scope = Scope;

    fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    fn sources(&mut self) -> (From, Rc<Scope>) {
        let (from, scope, _) = self.from(SOURCES_MAX, ROWS_MAX, 1);
        (from, scope)
    }

    fn columns(&mut self, scope: &Rc<Scope>) -> Vec<ResultColumn> {
        if self.rng.chance(STAR) {
            return self.all_columns(scope);
        }
        let chosen = self.rng.subset(&scope.columns, 1);
        let mut expressions: Vec<Expr> = chosen.into_iter().map(|column| column.shown()).collect();
        if self.rng.chance(EXPRESSION_KEY) {
            expressions.push(self.term(scope));
        }
        vec![ResultColumn::of(printed(&expressions))]
    }

    fn all_columns(&self, scope: &Rc<Scope>) -> Vec<ResultColumn> {
        if scope.columns.iter().all(|column| column.of.is_shown()) {
            return vec![ResultColumn::Star];
        }
        let columns: Vec<Expr> = scope.columns.iter().map(Visible::shown).collect();
        vec![ResultColumn::of(printed(&columns))]
    }

    /// Equal values of DuckDB are identical, as there are no collations: bags are compared. (Zeros
    /// of both signs are one value for every judge.)
    fn keys(&mut self, scope: &Rc<Scope>) -> (Vec<Expr>, Judge) {
        let columns = self.rng.subset(&scope.columns, 1).into_iter().take(KEYS_MAX);
        let keys = columns.map(|column| {
            if self.rng.chance(EXPRESSION_KEY) { self.term(scope) } else { column.shown() }
        });
        (keys.collect(), Judge::Bag)
    }

    fn predicate(&mut self, scope: &Rc<Scope>, depth: u32) -> Expr {
        self.within_scope(Rc::clone(scope), |generator| generator.truth(depth))
    }

    fn orders(&mut self, scope: &Rc<Scope>) -> Vec<Order> {
        self.within_scope(Rc::clone(scope), Generator::orders)
    }

    fn group_predicate(&mut self, keys: &[Expr], scope: Rc<Scope>, depth: u32) -> Expr {
        self.having(keys, scope, depth)
    }

    /// `IS TRUE` is missing in old versions.
    fn truth_number(predicate: Expr) -> Expr {
        let is_known = predicate.clone().postfix(Postfix::NotNull);
        is_known.binary(Binary::And, predicate).cast(Type::BigInt)
    }

    fn order_of_count(_: Vec<Order>) -> Vec<Order> {
        Vec::new()
    }

    /// Old versions require a name.
    fn derived(query: Query) -> Source {
        Source { alias: Some("res".to_owned()), ..Source::derived(query) }
    }
}
