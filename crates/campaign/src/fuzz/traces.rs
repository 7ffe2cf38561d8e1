//! What is observed of pairs: traces and plans.

use metacov_exec::Trace;
use serde::{Deserialize, Serialize};

use super::plans::Plans;

/// What was observed of pairs: in total, or in addition to that.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Traces {
    /// The counters that are not zero in one side of a pair and zero in the other.
    pub(super) differing: Trace,
    /// The counters that are not zero in any side.
    pub(super) executed: Trace,
    pub(super) plans: Plans,
}

/// What is new about a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Novelty {
    /// New counters in the difference of its sides.
    pub differing: u64,
    /// Counters in the difference that are in the differences of few rounds, and of no earlier pair
    /// of this round.
    pub rare: u64,
    /// New counters of any side.
    pub executed: u64,
    /// Whether its query plan is new.
    pub is_new_plan: bool,
    /// Whether an observer saw something new in its difference.
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

    /// Adds the other.
    pub(super) fn add(&mut self, other: &Traces) {
        self.differing |= &other.differing;
        self.executed |= &other.executed;
        self.plans.add(&other.plans);
    }

    /// Returns how many counters differ, how many are not zero, and how many plans there are.
    pub(super) fn sizes(&self) -> (u64, u64, u64) {
        (self.differing.count(), self.executed.count(), self.plans.count())
    }
}
