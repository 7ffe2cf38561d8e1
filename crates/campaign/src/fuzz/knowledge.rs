//! What a campaign knows, and what a round adds to it.

use std::collections::VecDeque;
use std::iter;

use metacov_core::{Recipe, Rng};
use metacov_exec::Trace;
use serde::{Deserialize, Serialize};

use super::bandit::Weights;
use super::sketch_hashes::SketchHashes;
use super::traces::Traces;

/// The most precedents that are kept: the latest ones.
const PRECEDENTS_MAX: usize = 512;

/// For how many rounds a precedent is used: its neighbourhood has been tested by then.
const PRECEDENT_ROUNDS: u64 = 32;

/// How many of 100 tests are variants of precedents, under a guidance that varies tests. There are
/// never more than there are precedents, so that a few are not varied over and over.
const VARIANT_PERCENT: u32 = 25;

/// A counter that was in the differences of fewer rounds than this is rare.
pub(super) const RARE_ROUNDS: usize = 4;

/// What a campaign knows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Knowledge {
    /// How many rounds it comes from.
    pub(super) rounds: u64,
    /// What the guidance has observed.
    pub(super) looked: Traces,
    /// The counters that were in the differences of at least two rounds, of three, and so on.
    again: [Trace; RARE_ROUNDS - 1],
    /// What an observer of the campaign has seen, which includes what the guidance did not look at.
    pub(super) observed: Traces,
    /// Tests that brought something rare, by round.
    precedents: VecDeque<KeptTest>,
    pub(crate) weights: Weights,
    /// How often violations of each kind occurred.
    pub(crate) likenesses: SketchHashes,
}

/// How to derive a test that brought something rare.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptTest {
    /// The round that it was tested in.
    pub(crate) round: u64,
    pub(crate) relation: usize,
    pub(crate) recipe: Recipe,
    /// How many random choices it took.
    pub(crate) drawn: u64,
}

/// What a round, or a part of it, adds to what is known.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct KnowledgeDelta {
    /// What the guidance observed: what was new and, in differences, what was rare.
    pub(super) looked: Traces,
    /// What an observer saw.
    pub(super) observed: Traces,
    pub(super) precedents: Vec<KeptTest>,
    /// Rewards of mutators, in order.
    pub(super) rewards: Vec<(usize, f64)>,
    /// The hashes of its violations.
    likenesses: Vec<u64>,
}

impl Knowledge {
    /// Adds what a round has added.
    pub(crate) fn learn(&mut self, lesson: &KnowledgeDelta) {
        self.rounds += 1;
        let mut differing = lesson.looked.differing.clone();
        for had in iter::once(&mut self.looked.differing).chain(&mut self.again) {
            let mut again = differing.clone();
            again &= had;
            *had |= &differing;
            differing = again;
        }
        self.looked.add(&lesson.looked);
        self.observed.add(&lesson.observed);
        for precedent in &lesson.precedents {
            self.keep(precedent.clone());
        }
        for (mutator, reward) in &lesson.rewards {
            self.weights.reward(*mutator, *reward);
        }
        for likeness in &lesson.likenesses {
            self.likenesses.meet(*likeness);
        }
    }

    /// Keeps a test as a precedent.
    pub(super) fn keep(&mut self, precedent: KeptTest) {
        if self.precedents.len() == PRECEDENTS_MAX {
            self.precedents.pop_front();
        }
        self.precedents.push_back(precedent);
    }

    /// Returns a precedent of the relation for a round, if the test is to be a variant: of two, the
    /// one with fewer random choices, since it is cheaper and may bring as much.
    pub(crate) fn precedent(
        &self,
        round: u64,
        relation: usize,
        rng: &mut Rng,
    ) -> Option<&KeptTest> {
        let is_of_use = |precedent: &&KeptTest| {
            precedent.relation == relation && precedent.round + PRECEDENT_ROUNDS >= round
        };
        let of_use: Vec<&KeptTest> = self.precedents.iter().filter(is_of_use).collect();
        let percent = u32::try_from(of_use.len()).unwrap_or(u32::MAX).min(VARIANT_PERCENT);
        if !rng.chance(percent) {
            return None;
        }
        let two = [(); 2].map(|()| *rng.pick(&of_use));
        two.into_iter().min_by_key(|precedent| precedent.drawn)
    }

    /// The counters that are not rare in differences.
    pub(super) fn often(&self) -> &Trace {
        let [.., often] = &self.again;
        often
    }

    /// Returns how many counters differ, how many are not zero, and how many plans there are.
    pub(crate) fn sizes(&self) -> (u64, u64, u64) {
        // An observer sees everything that the guidance observes.
        self.looked.sizes().max(self.observed.sizes())
    }
}

impl KnowledgeDelta {
    /// Adds what followed it.
    pub(crate) fn add(&mut self, other: KnowledgeDelta) {
        self.looked.add(&other.looked);
        self.observed.add(&other.observed);
        self.precedents.extend(other.precedents);
        self.rewards.extend(other.rewards);
        self.likenesses.extend(other.likenesses);
    }

    /// Adds a violation with this hash.
    pub(crate) fn meet(&mut self, likeness: u64) {
        self.likenesses.push(likeness);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedents_are_recent_and_of_the_same_relation() {
        let mut known = Knowledge::default();
        let recipe = Recipe::new(1);
        for (round, relation) in [(0, 0), (40, 0), (40, 1)] {
            for drawn in 0..100 {
                known.keep(KeptTest { round, relation, recipe: recipe.clone(), drawn });
            }
        }
        let mut rng = Rng::new(1);
        let mut variants = |relation| {
            let chosen = (0..1000).filter_map(|_| known.precedent(50, relation, &mut rng));
            chosen.filter(|chosen| (chosen.round, chosen.relation) == (40, relation)).count()
        };
        assert!((200..300).contains(&variants(0)));
        assert!((200..300).contains(&variants(1)));
        assert_eq!(variants(2), 0);
        assert!(known.precedent(50 + PRECEDENT_ROUNDS, 0, &mut rng).is_none());
    }
}
