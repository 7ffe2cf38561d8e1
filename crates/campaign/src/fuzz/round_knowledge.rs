//! What is known during a round, in the worker.

use metacov_exec::Trace;

use super::knowledge::{KeptTest, Knowledge, KnowledgeDelta};
use super::traces::{Novelty, Traces};

/// What is known during a round, and what the round has added since the last report.
pub(crate) struct RoundKnowledge {
    pub(crate) known: Knowledge,
    /// The counters in differences that are not rare, or no longer in this round.
    met: Trace,
    lesson: KnowledgeDelta,
}

impl RoundKnowledge {
    /// Starts or resumes a round that has already added this.
    pub(crate) fn new(mut known: Knowledge, begun: &KnowledgeDelta) -> Self {
        let mut met = known.often().clone();
        met |= &begun.looked.differing;
        known.learn(begun);
        RoundKnowledge { known, met, lesson: KnowledgeDelta::default() }
    }

    /// Records the traces of two sides that the guidance observes.
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

    /// Records a query plan that the guidance observes.
    pub(crate) fn look_at_plan(&mut self, plan: u64, seen: &mut Novelty) {
        seen.is_new_plan = self.known.looked.plans.insert(plan);
        if seen.is_new_plan {
            self.lesson.looked.plans.insert(plan);
        }
    }

    /// Records the traces of two sides for an observer. Returns whether there is something new in
    /// their difference.
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

    /// Records a query plan for an observer.
    pub(crate) fn observe_plan(&mut self, plan: u64) {
        if self.known.observed.plans.insert(plan) {
            self.lesson.observed.plans.insert(plan);
        }
    }

    /// Keeps a test that brought something rare.
    pub(crate) fn keep(&mut self, precedent: KeptTest) {
        self.lesson.precedents.push(precedent.clone());
        self.known.keep(precedent);
    }

    /// Rewards a mutator.
    pub(crate) fn reward(&mut self, mutator: usize, reward: f64) {
        self.lesson.rewards.push((mutator, reward));
        self.known.weights.reward(mutator, reward);
    }

    /// Returns what was added since the last call.
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

    /// The new and the rare counters of a pair, one side of which has more counters than the other.
    fn see(study: &mut RoundKnowledge, more: u64) -> (u64, u64) {
        let mut seen = Novelty::default();
        study.look_at_traces(&[trace(more | 1), trace(1)], &mut seen);
        (seen.differing, seen.rare)
    }

    #[test]
    fn counters_of_few_rounds_are_rare_once_per_round() {
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
    fn a_round_resumes_where_it_stopped() {
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
    fn observed_counters_are_still_new_to_the_guidance() {
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
