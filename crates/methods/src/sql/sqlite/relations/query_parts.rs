//! The parts of queries that relations on SQLite ask for.

use std::rc::Rc;

use metacov_core::{Judge, Rng};

use crate::sql::relations::QueryParts;
use crate::sql::sqlite::{
    Expr, From, Generator, Order, Postfix, ResultColumn, Scope, percent, printed,
};

/// The most sources of a tested query.
pub(super) const SOURCES_MAX: usize = 3;

/// The most combinations of rows that a tested query iterates over.
pub(super) const ROWS_MAX: usize = 600;

/// The most columns that rows are grouped by.
const KEYS_MAX: usize = 4;

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
        if self.rng.chance(percent::STAR) {
            return vec![ResultColumn::Star];
        }
        let chosen = self.rng.subset(&scope.columns, 1);
        let mut expressions: Vec<Expr> = chosen.into_iter().map(|column| column.expr()).collect();
        if self.rng.chance(percent::EXPRESSION_KEY) {
            expressions.push(self.within_scope(Rc::clone(scope), Generator::term));
        }
        vec![ResultColumn::of(printed(&expressions))]
    }

    fn keys(&mut self, scope: &Rc<Scope>) -> (Vec<Expr>, Judge) {
        let columns = self.rng.subset(&scope.columns, 1).into_iter().take(KEYS_MAX);
        let mut judge = Judge::Bag;
        let keys = columns.map(|column| {
            if self.rng.chance(percent::EXPRESSION_KEY) {
                judge = Judge::Representatives;
                return self.within_scope(Rc::clone(scope), Generator::term);
            }
            if !column.exact {
                judge = Judge::Representatives;
            }
            column.expr()
        });
        (keys.collect(), judge)
    }

    fn predicate(&mut self, scope: &Rc<Scope>, depth: u32) -> Expr {
        self.within_scope(Rc::clone(scope), |generator| generator.truth(depth))
    }

    fn orders(&mut self, scope: &Rc<Scope>) -> Vec<Order> {
        self.within_scope(Rc::clone(scope), |generator| generator.orders(2))
    }

    fn group_predicate(&mut self, keys: &[Expr], scope: Rc<Scope>, depth: u32) -> Expr {
        let exact = Generator::keys(keys, &scope);
        self.having(exact, scope, depth)
    }

    fn truth_number(predicate: Expr) -> Expr {
        predicate.postfix(Postfix::IsTrue)
    }
}
