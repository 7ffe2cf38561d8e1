//! SQLite as a method: databases are subjects, and the language is that of its shell.

use metacov_core::{Facts, Language, Method, RelationInfo, Rng, SetupStep, Subject};

use super::Dialect;
use super::language::SHELL;
use super::relations::RELATIONS;
use super::schema::Schema;
use super::setup::{Database, Kind, Statement};
use crate::sql;
use crate::sql::method::Changing;
use crate::sql::relations::infos;

/// Random databases of SQLite, and the relations `NoREC`, TLP and the optimiser's switches.
pub const SQLITE: &dyn Method = &Sqlite;

struct Sqlite;

const INFOS: [RelationInfo; RELATIONS.len()] = infos(RELATIONS);

impl Method for Sqlite {
    fn relations(&self) -> &'static [RelationInfo] {
        &INFOS
    }

    fn mutators(&self) -> &'static [&'static str] {
        Kind::TEXTS
    }

    fn subject(&self, facts: &Facts) -> Box<dyn Subject> {
        Box::new(Changing::new(Database::new(Dialect::of(facts)), RELATIONS))
    }

    fn language(&self) -> &'static dyn Language {
        &SHELL
    }
}

impl sql::method::Database for Database {
    type Schema = Schema;
    type Kind = Kind;
    const KINDS: &'static [Kind] = Kind::ALL;

    fn next_step(&mut self, rng: &mut Rng) -> Option<SetupStep> {
        self.next_statement(rng).map(step)
    }

    fn step_of(&mut self, kind: Kind, rng: &mut Rng) -> SetupStep {
        step(self.statement_of(kind, rng))
    }

    fn receive(&mut self, has_worked: bool) {
        if has_worked { self.accept() } else { self.reject() }
    }

    fn current_schema(&self) -> &Schema {
        self.schema()
    }
}

fn step(statement: Statement) -> SetupStep {
    SetupStep { kind: statement.kind.text(), statement: statement.sql }
}
