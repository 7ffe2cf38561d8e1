//! An SQL engine as a method: databases are subjects.

use metacov_core::{Outcome, Rng, SetupStep, Subject, Test};

use super::relations::Relation;

/// A random database under construction.
pub(crate) trait Database {
    /// What queries need to know of it.
    type Schema: 'static;

    /// Kinds of statements.
    type Kind: Copy + 'static;

    /// All kinds. Their positions are those of the method's mutators.
    const KINDS: &'static [Self::Kind];

    /// Returns the next statement; none if the database is complete.
    fn next_step(&mut self, rng: &mut Rng) -> Option<SetupStep>;

    /// Returns a statement of a kind, whatever is planned.
    fn step_of(&mut self, kind: Self::Kind, rng: &mut Rng) -> SetupStep;

    /// Receives whether the last statement succeeded.
    fn receive(&mut self, has_worked: bool);

    /// Returns the schema, as far as it is known.
    fn current_schema(&self) -> &Self::Schema;
}

/// A database, its planned change, and the relations of tests on it.
pub(crate) struct Changing<D: Database> {
    database: D,
    planned: Option<D::Kind>,
    relations: &'static [Relation<D::Schema>],
}

impl<D: Database> Changing<D> {
    /// Starts with this database.
    pub(crate) fn new(database: D, relations: &'static [Relation<D::Schema>]) -> Self {
        Changing { database, planned: None, relations }
    }
}

impl<D: Database> Subject for Changing<D> {
    fn next_setup(&mut self, rng: &mut Rng) -> Option<SetupStep> {
        match self.planned.take() {
            Some(kind) => Some(self.database.step_of(kind, rng)),
            None => self.database.next_step(rng),
        }
    }

    fn accept(&mut self, outcome: &Outcome) {
        self.database.receive(outcome.is_success());
    }

    fn derive(&self, relation: usize, rng: &mut Rng) -> Test {
        self.relations[relation].derive(self.database.current_schema(), rng)
    }

    fn mutate(&mut self, mutator: usize) {
        self.planned = D::KINDS.get(mutator).copied();
    }
}
