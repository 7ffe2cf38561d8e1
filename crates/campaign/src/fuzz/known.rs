//! What a campaign knows, and what a round adds to it.

use std::collections::{BTreeSet, VecDeque};

use metacov_exec::Trace;
use metacov_relations::{Recipe, Rng};
use serde::{Deserialize, Serialize};

use super::likeness::Likenesses;
use super::mutators::Weights;

/// Precedents that are kept in mind, at most: the last ones.
const PRECEDENTS_MAX: usize = 512;

/// Of 100 tests under a guidance that varies tests, so many are variants of precedents, but no more than there are of
/// those: a few should not be varied over and over.
const VARIANT_PERCENT: u32 = 25;

/// And for so many rounds: what is near to them has been tested by then.
const PRECEDENT_ROUNDS: u64 = 32;

/// A counter that was in the differences of fewer rounds than these is rare.
const RARE_ROUNDS: usize = 4;

/// What a campaign knows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Known {
    /// The counters that one side of a pair counted and the other did not: those of one round at least, of two, and so
    /// on.
    differing: [Trace; RARE_ROUNDS],
    /// The counters that any side counted.
    executed: Trace,
    /// Query plans, normalised and hashed.
    plans: BTreeSet<u64>,
    /// Tests that brought something rare, by round.
    precedents: VecDeque<Precedent>,
    pub(crate) weights: Weights,
    /// What violations look like.
    pub(crate) likenesses: Likenesses,
}

/// How a test was made that brought something rare.
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
    /// The counters in the differences of its pairs that were rare before it.
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
    /// Counters in the difference that few rounds have had there, and no pair of this one.
    pub rare: u64,
    /// Counters that any of them counted.
    pub executed: u64,
    /// Whether its query plan is new.
    pub is_new_plan: bool,
}

impl Known {
    /// Takes in what a round has added.
    pub(crate) fn learn(&mut self, lesson: &Lesson) {
        let mut once_more = lesson.differing.clone();
        for differing in &mut self.differing {
            let mut had = once_more.clone();
            once_more.remove(differing);
            had ^= &once_more;
            *differing |= &once_more;
            once_more = had;
        }
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

    /// One of the precedents of a relation that are of use in a round, if a test is to be a variant: of two, the one
    /// that takes fewer choices, since it is cheaper and may bring as much.
    pub(crate) fn precedent(
        &self,
        round: u64,
        relation: usize,
        rng: &mut Rng,
    ) -> Option<&Precedent> {
        let is_of_use = |precedent: &&Precedent| {
            precedent.relation == relation && precedent.round + PRECEDENT_ROUNDS >= round
        };
        let of_use: Vec<&Precedent> = self.precedents.iter().filter(is_of_use).collect();
        let percent = u32::try_from(of_use.len()).unwrap_or(u32::MAX).min(VARIANT_PERCENT);
        if !rng.chance(percent) {
            return None;
        }
        let two = [(); 2].map(|()| *rng.pick(&of_use));
        two.into_iter().min_by_key(|precedent| precedent.drawn)
    }

    /// How many counters differ, how many counted, and how many plans there are.
    pub(crate) fn sizes(&self) -> (u64, u64, u64) {
        (self.differing[0].count(), self.executed.count(), self.plans.len() as u64)
    }
}

/// What is known while a round goes on, and what it has added since somebody asked.
pub(crate) struct Study {
    pub(crate) known: Known,
    /// The counters in differences that are not rare, or not any more in this round.
    met: Trace,
    lesson: Lesson,
}

impl Study {
    /// Of a round that has added this already.
    pub(crate) fn new(mut known: Known, begun: &Lesson) -> Self {
        let [.., often] = &known.differing;
        let mut met = often.clone();
        met |= &begun.differing;
        known.learn(begun);
        Study { known, met, lesson: Lesson::default() }
    }

    /// Takes in the traces of two sides; the first is lost.
    pub(crate) fn see_traces(&mut self, a: &mut Trace, b: &Trace, seen: &mut Seen) {
        let Study { known, met, lesson } = self;
        let mut executed = a.clone();
        executed |= b;
        seen.executed = executed.beyond(&known.executed);
        if seen.executed > 0 {
            lesson.executed |= &executed;
            known.executed |= &executed;
        }
        *a ^= b;
        let [ever, ..] = &mut known.differing;
        (seen.differing, seen.rare) = (a.beyond(ever), a.beyond(met));
        if seen.rare > 0 {
            a.remove(met);
            lesson.differing |= a;
            *met |= a;
            *ever |= a;
        }
    }

    /// Takes in a query plan.
    pub(crate) fn see_plan(&mut self, plan: u64, seen: &mut Seen) {
        seen.is_new_plan = self.known.plans.insert(plan);
        if seen.is_new_plan {
            self.lesson.plans.push(plan);
        }
    }

    /// Keeps a test in mind that brought something rare.
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

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    fn trace(bits: u64) -> Trace {
        from_value(json!({ "words": [bits] })).unwrap()
    }

    /// What is new and rare of a pair that one side of runs more than the other.
    fn see(study: &mut Study, more: u64) -> (u64, u64) {
        let mut seen = Seen::default();
        study.see_traces(&mut trace(more | 1), &trace(1), &mut seen);
        (seen.differing, seen.rare)
    }

    #[test]
    fn what_few_rounds_had_is_rare_once_in_a_round() {
        let mut known = Known::default();
        for round in 0..RARE_ROUNDS {
            let mut study = Study::new(known.clone(), &Lesson::default());
            assert_eq!(see(&mut study, 0b10), (u64::from(round == 0), 1), "round {round}");
            assert_eq!(see(&mut study, 0b10), (0, 0));
            known.learn(&study.take_lesson());
        }
        let mut study = Study::new(known, &Lesson::default());
        assert_eq!(see(&mut study, 0b110), (1, 1), "what many had is not rare, the other is");
    }

    #[test]
    fn a_round_goes_on_where_it_was() {
        let mut whole = Study::new(Known::default(), &Lesson::default());
        see(&mut whole, 0b10);
        let begun = whole.take_lesson();
        let mut rest = Study::new(Known::default(), &begun);
        for more in [0b10, 0b110, 0b100] {
            assert_eq!(see(&mut rest, more), see(&mut whole, more));
        }
        assert_eq!(rest.known.sizes(), whole.known.sizes());
    }

    #[test]
    fn precedents_are_those_of_the_relation_and_of_late() {
        let mut known = Known::default();
        let recipe = Recipe::new(1);
        for (round, relation) in [(0, 0), (40, 0), (40, 1)] {
            for drawn in 0..100 {
                known.keep(Precedent { round, relation, recipe: recipe.clone(), drawn });
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
