//! What a campaign knows, and what a round adds to it.

use std::collections::{BTreeSet, VecDeque};

use metacov_exec::Trace;
use metacov_relations::{Recipe, Rng};
use serde::{Deserialize, Serialize};

use super::likeness::Likenesses;
use super::mutators::Weights;

/// Precedents that are kept in mind, at most: the last ones.
const PRECEDENTS_MAX: usize = 512;

/// And for so many rounds: what is near to them has been tested by then.
const PRECEDENT_ROUNDS: u64 = 32;

/// What a campaign knows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Known {
    /// The counters that one side of a pair counted and the other did not: the union over all pairs.
    differing: Trace,
    /// The counters that any side counted.
    executed: Trace,
    /// Query plans, normalised and hashed.
    plans: BTreeSet<u64>,
    /// Tests that brought something new, by round.
    precedents: VecDeque<Precedent>,
    pub(crate) weights: Weights,
    /// What violations look like.
    pub(crate) likenesses: Likenesses,
}

/// How a test was made that brought something new.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Precedent {
    /// The round that it was tested in.
    pub(crate) round: u64,
    pub(crate) relation: usize,
    pub(crate) recipe: Recipe,
    /// How many choices it took.
    pub(crate) drawn: u64,
}

/// What a round, or a part of it, adds to what is known.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lesson {
    differing: Trace,
    executed: Trace,
    plans: Vec<u64>,
    precedents: Vec<Precedent>,
    /// Rewards of mutators, in their order.
    rewards: Vec<(usize, f64)>,
    /// What its violations look like.
    likenesses: Vec<u64>,
}

/// How much of a pair was not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Counters in the difference of its sides.
    pub differing: u64,
    /// Counters that any of them counted.
    pub executed: u64,
    /// Whether its query plan is new.
    pub is_new_plan: bool,
}

impl Known {
    /// Takes in what a round has added.
    pub(crate) fn learn(&mut self, lesson: &Lesson) {
        self.differing |= &lesson.differing;
        self.executed |= &lesson.executed;
        self.plans.extend(&lesson.plans);
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

    fn keep(&mut self, precedent: Precedent) {
        if self.precedents.len() == PRECEDENTS_MAX {
            self.precedents.pop_front();
        }
        self.precedents.push_back(precedent);
    }

    /// One of the precedents that are of use in a round: of two, the one that takes fewer choices, since it is cheaper
    /// and may bring as much.
    pub(crate) fn precedent(&self, round: u64, rng: &mut Rng) -> Option<&Precedent> {
        let is_old = |precedent: &Precedent| precedent.round + PRECEDENT_ROUNDS < round;
        let old = self.precedents.partition_point(is_old);
        let left = self.precedents.len() - old;
        if left == 0 {
            return None;
        }
        let two = [(); 2].map(|()| &self.precedents[old + rng.below(left)]);
        two.into_iter().min_by_key(|precedent| precedent.drawn)
    }

    /// How many counters differ, how many counted, and how many plans there are.
    pub(crate) fn sizes(&self) -> (u64, u64, u64) {
        (self.differing.count(), self.executed.count(), self.plans.len() as u64)
    }
}

/// What is known while a round goes on, and what it has added since somebody asked.
pub(crate) struct Study {
    pub(crate) known: Known,
    lesson: Lesson,
}

impl Study {
    pub(crate) fn new(known: Known) -> Self {
        Study { known, lesson: Lesson::default() }
    }

    /// Takes in the traces of two sides; the first is lost.
    pub(crate) fn see_traces(&mut self, a: &mut Trace, b: &Trace, seen: &mut Seen) {
        let Study { known, lesson } = self;
        let mut executed = a.clone();
        executed |= b;
        seen.executed = executed.beyond(&known.executed);
        if seen.executed > 0 {
            lesson.executed |= &executed;
            known.executed |= &executed;
        }
        *a ^= b;
        seen.differing = a.beyond(&known.differing);
        if seen.differing > 0 {
            a.remove(&known.differing);
            lesson.differing |= a;
            known.differing |= a;
        }
    }

    /// Takes in a query plan.
    pub(crate) fn see_plan(&mut self, plan: u64, seen: &mut Seen) {
        seen.is_new_plan = self.known.plans.insert(plan);
        if seen.is_new_plan {
            self.lesson.plans.push(plan);
        }
    }

    /// Keeps a test in mind that brought something new.
    pub(crate) fn keep(&mut self, precedent: Precedent) {
        self.lesson.precedents.push(precedent.clone());
        self.known.keep(precedent);
    }

    /// Rewards a mutator.
    pub(crate) fn reward(&mut self, mutator: usize, reward: f64) {
        self.lesson.rewards.push((mutator, reward));
        self.known.weights.reward(mutator, reward);
    }

    /// What was added since the last time.
    pub(crate) fn take_lesson(&mut self) -> Lesson {
        std::mem::take(&mut self.lesson)
    }
}

impl Lesson {
    /// Adds what came behind it.
    pub(crate) fn add(&mut self, other: Lesson) {
        self.differing |= &other.differing;
        self.executed |= &other.executed;
        self.plans.extend(other.plans);
        self.precedents.extend(other.precedents);
        self.rewards.extend(other.rewards);
        self.likenesses.extend(other.likenesses);
    }

    /// Adds that a violation looks like this.
    pub(crate) fn meet(&mut self, likeness: u64) {
        self.likenesses.push(likeness);
    }
}
