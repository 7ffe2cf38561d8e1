//! Transactions and savepoints.

use super::{Database, Kind, Pending, Statement};
use crate::sql::ast;
use metacov_core::Rng;

impl Database {
    pub(super) fn transaction(&mut self, rng: &mut Rng) -> Statement {
        let savepoints: Vec<String> =
            self.open.iter().filter_map(|(name, _)| name.clone()).collect();
        let (statement, pending) = if self.open.is_empty() {
            if rng.chance(30) {
                self.savepoint()
            } else {
                (ast::Statement::Begin(*rng.pick(ast::BeginMode::ALL)), Pending::Begin)
            }
        } else {
            match rng.below(10) {
                0..=1 => self.savepoint(),
                2..=3 if !savepoints.is_empty() => {
                    let name = rng.pick(&savepoints).clone();
                    (ast::Statement::Release(name.clone()), Pending::Release(name))
                }
                4..=5 if !savepoints.is_empty() => {
                    let name = rng.pick(&savepoints).clone();
                    (ast::Statement::RollbackTo(name.clone()), Pending::RollbackTo(name))
                }
                6 => (ast::Statement::Rollback, Pending::Rollback),
                _ => (ast::Statement::Commit, Pending::Commit),
            }
        };
        self.made(Kind::Transaction, &statement, pending)
    }

    fn savepoint(&mut self) -> (ast::Statement, Pending) {
        self.names += 1;
        let name = format!("s{}", self.names - 1);
        (ast::Statement::Savepoint(name.clone()), Pending::Savepoint(name))
    }
}
