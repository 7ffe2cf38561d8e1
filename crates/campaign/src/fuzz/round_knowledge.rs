//! What is known while a round goes on, in the worker.

use metacov_exec::Trace;

use super::knowledge::{KeptTest, Knowledge, KnowledgeDelta};
use super::traces::{Novelty, Traces};

/// What is known while a round goes on, and what it has added since somebody asked.
pub(crate) struct RoundKnowledge {
    pub(crate) known: Knowledge,
    /// The counters in differences that are not rare, or not any more in this round.
    met: Trace,
    lesson: KnowledgeDelta,
}

impl RoundKnowledge {
    /// Of a round that has added this already.
    pub(crate) fn new(mut known: Knowledge, begun: &KnowledgeDelta) -> Self {
        let mut met = known.often().clone();
        met |= &begun.looked.differing;
        known.learn(begun);
        RoundKnowledge { known, met, lesson: KnowledgeDelta::default() }
    }

    /// The guidance looks at the traces of two sides.
    pub(crate) fn look_at_traces(&mut self, traces: &[Trace; 2], seen: &mut Novelty) {
        let RoundKnowledge { known: Knowledge { looked, .. }, met, lesson } = self;
        let Traces { mut differing, executed, .. } = Traces::of(traces);
        seen.executed = executed.beyond(&looked.executed);
        if seen.executed > 0 {
            lesson.looked.executed |= &executed;
            looked.executed |= &executed;
        }
        (seen.differing, seen.rare) = (differing.beyond(&looked.differing), differing.beyond(met));
        if seen.rare > 0 {
            differing.remove(met);
            lesson.looked.differing |= &differing;
            *met |= &differing;
            looked.differing |= &differing;
        }
    }

    /// The guidance looks at a query plan.
    pub(crate) fn look_at_plan(&mut self, plan: u64, seen: &mut Novelty) {
        seen.is_new_plan = self.known.looked.plans.insert(plan);
        if seen.is_new_plan {
            self.lesson.looked.plans.insert(plan);
        }
    }

    /// An observer sees the traces of two sides; whether there is something new in their difference.
    pub(crate) fn observe_traces(&mut self, traces: &[Trace; 2]) -> bool {
        let RoundKnowledge { known: Knowledge { observed, .. }, lesson, .. } = self;
        let sight = Traces::of(traces);
        let is_new = sight.differing.beyond(&observed.differing) > 0;
        if is_new || sight.executed.beyond(&observed.executed) > 0 {
            lesson.observed.add(&sight);
            observed.add(&sight);
        }
        is_new
    }

    /// An observer sees a query plan.
    pub(crate) fn observe_plan(&mut self, plan: u64) {
        if self.known.observed.plans.insert(plan) {
            self.lesson.observed.plans.insert(plan);
        }
    }

    /// Keeps a test in mind that brought something rare.
    pub(crate) fn keep(&mut self, precedent: KeptTest) {
        self.lesson.precedents.push(precedent.clone());
        self.known.keep(precedent);
    }

    /// Rewards a mutator.
    pub(crate) fn reward(&mut self, mutator: usize, reward: f64) {
        self.lesson.rewards.push((mutator, reward));
        self.known.weights.reward(mutator, reward);
    }

    /// What was added since the last time.
    pub(crate) fn take_lesson(&mut self) -> KnowledgeDelta {
        std::mem::take(&mut self.lesson)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::super::knowledge::RARE_ROUNDS;
    use super::*;

    fn trace(bits: u64) -> Trace {
        from_value(json!({ "words": [bits] })).unwrap()
    }

    /// What is new and rare of a pair that one side of runs more than the other.
    fn see(study: &mut RoundKnowledge, more: u64) -> (u64, u64) {
        let mut seen = Novelty::default();
        study.look_at_traces(&[trace(more | 1), trace(1)], &mut seen);
        (seen.differing, seen.rare)
    }

    #[test]
    fn what_few_rounds_had_is_rare_once_in_a_round() {
        let mut known = Knowledge::default();
        for round in 0..RARE_ROUNDS {
            let mut study = RoundKnowledge::new(known.clone(), &KnowledgeDelta::default());
            assert_eq!(see(&mut study, 0b10), (u64::from(round == 0), 1), "round {round}");
            assert_eq!(see(&mut study, 0b10), (0, 0));
            known.learn(&study.take_lesson());
        }
        let mut study = RoundKnowledge::new(known, &KnowledgeDelta::default());
        assert_eq!(see(&mut study, 0b110), (1, 1), "what many had is not rare, the other is");
    }

    #[test]
    fn a_round_goes_on_where_it_was() {
        let mut whole = RoundKnowledge::new(Knowledge::default(), &KnowledgeDelta::default());
        see(&mut whole, 0b10);
        let begun = whole.take_lesson();
        let mut rest = RoundKnowledge::new(Knowledge::default(), &begun);
        for more in [0b10, 0b110, 0b100] {
            assert_eq!(see(&mut rest, more), see(&mut whole, more));
        }
        assert_eq!(rest.known.sizes(), whole.known.sizes());
    }

    #[test]
    fn what_is_observed_is_still_news_to_the_guidance() {
        let mut study = RoundKnowledge::new(Knowledge::default(), &KnowledgeDelta::default());
        let traces = [trace(0b11), trace(0b01)];
        assert!(study.observe_traces(&traces));
        assert!(!study.observe_traces(&traces));
        study.observe_plan(7);
        assert_eq!(study.known.sizes(), (1, 2, 1));
        let mut seen = Novelty::default();
        study.look_at_traces(&traces, &mut seen);
        study.look_at_plan(7, &mut seen);
        assert_eq!((seen.differing, seen.executed, seen.is_new_plan), (1, 2, true));
    }
}
