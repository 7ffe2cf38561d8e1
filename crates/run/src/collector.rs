//! Collects what is said about the groups of a run, whichever worker ran them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Mutex, PoisonError};

use metacov_core::{Failure, Missing, PairResult, Violation};
use metacov_formats::Error;

use crate::{GroupDone, Observer};

/// An observer that collects violations, failures and, if requested, all results.
#[derive(Default)]
pub struct Collector {
    keeps_results: bool,
    collected: Mutex<Collected>,
}

/// What a run has collected.
#[derive(Default)]
pub struct Collected {
    /// The pairs that violate their relation, by place.
    pub violations: BTreeMap<u64, Violation>,
    /// All pairs by place, if they are kept.
    pub results: BTreeMap<u64, PairResult>,
    /// The pairs without covers, by kind and, if they are invalid or did not run, by the reason.
    pub failures: BTreeMap<(Failure, String), FailedPairs>,
}

/// Pairs that failed for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedPairs {
    /// How many.
    pub pairs: u64,
    /// The first of them: its place, relation and name.
    pub first: (u64, String, String),
    /// The side of it that failed, and how.
    pub side: (usize, Missing),
}

impl FailedPairs {
    /// Adds them to those that failed for the same reason.
    pub fn add_to(
        self,
        all: &mut BTreeMap<(Failure, String), FailedPairs>,
        reason: (Failure, String),
    ) {
        match all.entry(reason) {
            Entry::Vacant(entry) => drop(entry.insert(self)),
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                let pairs = known.pairs + self.pairs;
                if self.first.0 < known.first.0 {
                    *known = self;
                }
                known.pairs = pairs;
            }
        }
    }
}

impl Collector {
    /// Collects results of all pairs only if `keeps_results` is set.
    pub fn new(keeps_results: bool) -> Self {
        Collector { keeps_results, collected: Mutex::default() }
    }

    /// Returns what was collected.
    pub fn finish(self) -> Collected {
        self.collected.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Collector {
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        let mut collected = self.collected.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = done.outcome.err().map(|(side, missing)| (side, missing.clone()));
        let (place, relation, pair) = (done.place, done.relation, done.pair);
        let violation = done.context.violation(relation, pair);
        collected.violations.extend(violation.map(|violation| (place, violation)));
        if let Some(side) = &failed {
            collected.add_failure((place, relation.to_owned(), pair.to_owned()), side.clone());
        }
        if self.keeps_results {
            let (relation, pair) = (relation.to_owned(), pair.to_owned());
            let (took, verdict) = (done.took, done.context.verdict.clone());
            let result = PairResult { relation, pair, took, verdict, failed };
            collected.results.insert(place, result);
        }
        Ok(())
    }
}

impl Collected {
    fn add_failure(&mut self, first: (u64, String, String), side: (usize, Missing)) {
        let failure = side.1.failure;
        let has_reason = matches!(failure, Failure::Invalid | Failure::NotRun);
        let reason = if has_reason { side.1.output_tail.clone() } else { String::new() };
        FailedPairs { pairs: 1, first, side }.add_to(&mut self.failures, (failure, reason));
    }
}
