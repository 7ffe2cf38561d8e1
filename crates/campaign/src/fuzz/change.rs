//! Changes of the state, in the worker.

use std::io;

use metacov_core::{Rng, codec, seed};

use super::explore::{Explorer, announce, purpose};
use super::round::{Changed, Round, Stagnation};
use crate::timing::Phase;
use crate::worker::protocol::Answer;
use crate::worker::setup::step;

/// The most mutators that are tried for one change.
const TRIES_MAX: usize = 10;

impl Explorer<'_, '_, '_> {
    /// Rewards the mutator of the last change for the pairs since then. They do not count again if
    /// the next change crashes the worker and is repeated by another.
    pub(super) fn reward(&mut self) {
        let Stagnation { pairs, reward, .. } = &mut self.batch.pace;
        let (pairs, reward) = (std::mem::take(pairs), std::mem::take(reward));
        if let Some(mutator) = self.mutator
            && pairs > 0
        {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            self.knowledge.reward(mutator, reward as f64 / pairs as f64);
        }
    }

    /// Changes the state and reports the change. A method without mutators does not change it.
    pub(super) fn change(&mut self, number: u64) -> io::Result<()> {
        self.batch.pace = Stagnation::default();
        let count = self.method.mutators().len();
        if count == 0 {
            return Ok(());
        }
        let Round { seed: of_all, number: round, .. } = self.round;
        let mut rng = Rng::new(seed(&[*of_all, *round, number, purpose::MUTATOR]));
        let weights = self.knowledge.known.weights.clone();
        let mutators = std::iter::from_fn(|| Some(weights.choose(count, &mut rng)));
        self.mutate(mutators.take(TRIES_MAX))
    }

    /// Repeats an earlier change of the state.
    pub(super) fn repeat(&mut self, mutators: &[usize]) -> io::Result<()> {
        self.mutate(mutators.iter().copied())
    }

    fn mutate(&mut self, mutators: impl Iterator<Item = usize>) -> io::Result<()> {
        let Round { seed: of_all, number: round, is_cautious, .. } = self.round;
        let mut rng = Rng::new(seed(&[*of_all, *round, self.changes, purpose::CHANGE]));
        self.changes += 1;
        let Explorer { subject, port, .. } = self;
        let (mut tried, mut statements) = (Vec::new(), Vec::new());
        self.state.change(|session| {
            for mutator in mutators {
                tried.push(mutator);
                subject.mutate(mutator);
                let mut has_worked = None;
                // Additional statements that it plans, such as the end of a transaction, do not
                // decide whether it worked.
                while let Some(ran) = step(session, &mut **subject, &mut rng, &mut |statement| {
                    announce(*is_cautious, *port, statement)
                })? {
                    has_worked.get_or_insert(ran.has_worked);
                    statements.push(ran.statement);
                }
                if has_worked == Some(true) {
                    break;
                }
            }
            Ok(())
        })?;
        self.mutator = tried.last().copied();
        self.state.take_trace(&mut self.traces[0]);
        let executed = codec::encode(self.state.setup());
        self.state.watch.lap(Phase::Build);
        self.port.report(&Answer::Changed(Changed { mutators: tried, statements, executed }))
    }
}
