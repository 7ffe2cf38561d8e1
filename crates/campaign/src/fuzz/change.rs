//! Changes of a database, in the worker.

use std::io;

use metacov_core::{Outcome, codec};
use metacov_relations::{Database, Kind, Rng};

use super::explore::{Explorer, purpose};
use super::round::{Changed, Round, Stagnation};
use crate::bench::seed;
use crate::message::{Answer, encode};
use crate::time::Phase;

/// Mutators that are tried for a change of the database, until one of them works.
const TRIES_MAX: usize = 10;

impl Explorer<'_, '_, '_> {
    /// Changes the database, and tells so.
    pub(super) fn change(&mut self, number: u64) -> io::Result<()> {
        let Stagnation { pairs, reward, .. } = std::mem::take(&mut self.stretch.pace);
        if let Some(mutator) = self.mutator
            && pairs > 0
        {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            self.study.reward(mutator, reward as f64 / pairs as f64);
        }
        let Round { seed: of_all, number: database, .. } = self.round;
        let mut rng = Rng::new(seed(&[*of_all, *database, number, purpose::MUTATOR]));
        let weights = self.study.known.weights.clone();
        let mutators = std::iter::from_fn(|| Some(weights.choose(&mut rng)));
        self.mutate(mutators.take(TRIES_MAX))
    }

    /// Changes the database as it was changed before.
    pub(super) fn repeat(&mut self, mutators: &[usize]) -> io::Result<()> {
        self.mutate(mutators.iter().copied())
    }

    fn mutate(&mut self, mutators: impl Iterator<Item = usize>) -> io::Result<()> {
        let Round { seed: of_all, number: database, is_cautious, .. } = self.round;
        let mut rng = Rng::new(seed(&[*of_all, *database, self.changes, purpose::CHANGE]));
        self.changes += 1;
        let Explorer { database, master, .. } = self;
        let (mut tried, mut statements) = (Vec::new(), Vec::new());
        let mut announced = Ok(());
        self.place.change(self.engine, |ask| {
            let mut run = |database: &mut Database, sql: String| {
                if *is_cautious && announced.is_ok() {
                    announced = master.say(&encode(&Answer::Step(sql.clone())));
                }
                let has_worked = matches!(ask(&sql), Outcome::Rows(_));
                if has_worked {
                    database.accept();
                } else {
                    database.reject();
                }
                statements.push(sql);
                has_worked
            };
            for mutator in mutators {
                tried.push(mutator);
                let Some(kind) = Kind::ALL.get(mutator) else { continue };
                let statement = database.statement_of(*kind, &mut rng);
                let has_worked = run(database, statement.sql);
                // No transaction stays open.
                while let Some(statement) = database.next_statement(&mut rng) {
                    run(database, statement.sql);
                }
                if has_worked {
                    break;
                }
            }
        })?;
        announced?;
        self.mutator = tried.last().copied();
        self.place.take_trace(&mut self.traces[0]);
        let executed = codec::encode(self.place.setup());
        self.place.watch.lap(Phase::Build);
        self.master.say(&encode(&Answer::Changed(Changed {
            mutators: tried,
            statements,
            executed,
        })))
    }
}
