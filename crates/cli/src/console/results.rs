//! The results of all pairs, for outputs that show them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use metacov_core::PairResult;
use metacov_formats::Error;
use metacov_run::{GroupDone, Observer};

/// Collects the results of all pairs, by place.
#[derive(Default)]
pub struct Results(Mutex<BTreeMap<u64, PairResult>>);

impl Results {
    /// The results, in the order of the plan.
    pub fn into_inner(self) -> Vec<PairResult> {
        let results = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_values().collect()
    }
}

impl Observer for Results {
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        let result = PairResult {
            relation: done.relation.to_owned(),
            pair: done.pair.to_owned(),
            took: done.took,
            verdict: done.context.verdict.clone(),
            failed: done.outcome.err().map(|(side, missing)| (side, missing.clone())),
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(done.place, result);
        Ok(())
    }
}
