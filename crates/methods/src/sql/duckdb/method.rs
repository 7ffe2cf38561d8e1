//! DuckDB as a method: databases are subjects, and the language is that of its shell.

use metacov_core::{Facts, Language, Method, Outcome, RelationInfo, Rng, SetupStep, Subject, Test};

use super::Dialect;
use super::language::Shell;
use super::relations::RELATIONS;
use super::setup::{Database, Kind};
use crate::sql::relations::infos;

/// Random databases of DuckDB, and the relations `NoREC`, TLP and the optimiser's switches.
pub const DUCKDB: &dyn Method = &Duckdb;

struct Duckdb;

const INFOS: [RelationInfo; RELATIONS.len()] = infos(RELATIONS);

impl Method for Duckdb {
    fn relations(&self) -> &'static [RelationInfo] {
        &INFOS
    }

    fn mutators(&self) -> &'static [&'static str] {
        Kind::TEXTS
    }

    fn subject(&self, facts: &Facts) -> Box<dyn Subject> {
        Box::new(Changing { database: Database::new(Dialect::of(facts)), planned: None })
    }

    fn language(&self) -> &'static dyn Language {
        &Shell
    }
}

/// A database, and its planned change.
struct Changing {
    database: Database,
    planned: Option<Kind>,
}

impl Subject for Changing {
    fn next_setup(&mut self, rng: &mut Rng) -> Option<SetupStep> {
        let statement = match self.planned.take() {
            Some(kind) => self.database.statement_of(kind, rng),
            None => self.database.next_statement(rng)?,
        };
        Some(SetupStep { kind: statement.kind.text(), statement: statement.sql })
    }

    fn accept(&mut self, outcome: &Outcome) {
        self.database.accept(outcome.is_success());
    }

    fn derive(&self, relation: usize, rng: &mut Rng) -> Test {
        RELATIONS[relation].derive(self.database.schema(), rng)
    }

    fn mutate(&mut self, mutator: usize) {
        self.planned = Kind::ALL.get(mutator).copied();
    }
}
