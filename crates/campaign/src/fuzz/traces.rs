//! What is seen of pairs: traces and plans.

use metacov_exec::Trace;
use serde::{Deserialize, Serialize};

use super::plans::Plans;

/// What was seen of pairs: all of it, or what some add to that.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Traces {
    /// The counters that one side of a pair counted and the other did not.
    pub(super) differing: Trace,
    /// The counters that any side counted.
    pub(super) executed: Trace,
    pub(super) plans: Plans,
}

/// How much of a pair was not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Novelty {
    /// Counters in the difference of its sides.
    pub differing: u64,
    /// Counters in the difference that few rounds have had there, and no pair of this one.
    pub rare: u64,
    /// Counters that any of them counted.
    pub executed: u64,
    /// Whether its query plan is new.
    pub is_new_plan: bool,
    /// Whether an observer has seen something new in its difference.
    pub is_observed_news: bool,
}

impl Traces {
    /// What the traces of two sides show.
    pub(super) fn of([a, b]: &[Trace; 2]) -> Self {
        let (mut differing, mut executed) = (a.clone(), a.clone());
        differing ^= b;
        executed |= b;
        Traces { differing, executed, plans: Plans::default() }
    }

    /// Adds what is seen in the other.
    pub(super) fn add(&mut self, other: &Traces) {
        self.differing |= &other.differing;
        self.executed |= &other.executed;
        self.plans.add(&other.plans);
    }

    /// How many counters differ, how many counted, and how many plans there are.
    pub(super) fn sizes(&self) -> (u64, u64, u64) {
        (self.differing.count(), self.executed.count(), self.plans.count())
    }
}
