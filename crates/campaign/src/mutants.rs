//! Runs pairs with mutants: which of them does each pair kill?

mod choice;
mod generated;
mod program;

use std::fmt;
use std::num::NonZero;
use std::sync::Mutex;

use metacov_mutants::MutantVerdict;
use metacov_run::{PoolState, RunError, run_jobs};
use metacov_store::{MutantRun, MutantWriter, StoredMutants, StoredPair};

pub use choice::MutantChoice;
pub use generated::{GeneratedMutants, MutantCase};
pub use program::{ProgramCase, ProgramMutants};

/// Pairs to run with mutants.
pub trait MutantPairs: Sync {
    /// What a worker keeps from one pair to the next.
    type Worker;

    /// How many pairs there are.
    fn count(&self) -> usize;

    /// The relation and the name of a pair.
    fn name(&self, pair: usize) -> (&str, &str);

    /// Runs a pair with each wanted mutant that it reaches.
    fn run(
        &self,
        pair: usize,
        worker: &mut Option<Self::Worker>,
    ) -> Result<StoredMutants, RunError>;

    /// Runs a pair in a new process, in which one mutant is on from the start.
    fn run_new_process(&self, pair: usize, mutant: u32) -> Result<MutantVerdict, RunError>;
}

/// A mutant that has another verdict in a new process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MutantDifference {
    /// The relation and the name of the pair.
    pub pair: (String, String),
    /// The mutant.
    pub mutant: u32,
    /// The verdict where it is set on at its first reach.
    pub at_first_reach: MutantVerdict,
    /// The verdict where it is on from the start of a new process.
    pub in_new_process: MutantVerdict,
}

/// What a comparison with new processes has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MutantComparison {
    /// How many verdicts were compared.
    pub verdicts: u64,
    /// The ones that differ.
    pub differences: Vec<MutantDifference>,
}

impl MutantComparison {
    /// Whether the same mutants are killed.
    pub fn kills_the_same(&self) -> bool {
        let is_killed = |verdict| verdict == MutantVerdict::Killed;
        let mut all = self.differences.iter();
        all.all(|one| is_killed(one.at_first_reach) == is_killed(one.in_new_process))
    }
}

impl fmt::Display for MutantComparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (all, different) = (self.verdicts, self.differences.len());
        write!(out, "{all} verdicts, {different} of them different in a new process")?;
        for difference in self.differences.iter().take(SHOWN_DIFFERENCES) {
            let MutantDifference { pair: (relation, name), mutant, .. } = difference;
            let (first, new) = (difference.at_first_reach.name(), difference.in_new_process.name());
            write!(out, "\n  {relation}/{name}, mutant {mutant}: {first}, {new} in a new process")?;
        }
        Ok(())
    }
}

/// How many differences are shown.
const SHOWN_DIFFERENCES: usize = 20;

/// Returns the pairs that have no results yet, as `to_case` makes them; it leaves out those that cannot be run.
pub fn missing_mutants<C>(
    pairs: &[StoredPair],
    known: Option<&MutantRun>,
    to_case: impl Fn(&StoredPair) -> Result<Option<C>, RunError>,
) -> Result<Vec<C>, RunError> {
    let is_done = |pair: &StoredPair| {
        let key = (pair.relation.clone(), pair.name.clone());
        known.is_some_and(|known| known.pairs.contains_key(&key))
    };
    let missing = pairs.iter().filter(|pair| !is_done(pair));
    missing.filter_map(|pair| to_case(pair).transpose()).collect()
}

/// How pairs are run with mutants.
#[derive(Clone, Copy, Debug)]
pub struct MutantRunOptions {
    /// How many pairs are run at a time.
    pub workers: NonZero<usize>,
    /// Whether each verdict is compared with that of a new process.
    pub compares: bool,
}

/// Runs pairs with mutants and stores what becomes of them, each pair when it is complete, in any order. Calls `done` after
/// each. An interrupt ends it early.
pub fn run_mutants<P: MutantPairs>(
    pairs: &P,
    options: MutantRunOptions,
    writer: &MutantWriter,
    done: &(dyn Fn() + Sync),
) -> Result<MutantComparison, RunError> {
    let next = Mutex::new(0..pairs.count());
    let next = |_: &PoolState| {
        let at = next.lock().ok().and_then(|mut next| next.next())?;
        Some((at as u64, at))
    };
    let comparison = Mutex::new(MutantComparison::default());
    run_jobs(options.workers.get().min(pairs.count()), next, |jobs| {
        let mut worker = None;
        jobs.run(|_, at| {
            let stored = pairs.run(at, &mut worker)?;
            if options.compares {
                let compared = compare(pairs, at, &stored)?;
                if let Ok(mut all) = comparison.lock() {
                    all.verdicts += compared.verdicts;
                    all.differences.extend(compared.differences);
                }
            }
            let (relation, name) = pairs.name(at);
            writer.add(relation, name, &stored)?;
            done();
            Ok(())
        });
    })?;
    let mut comparison = comparison.into_inner().unwrap_or_default();
    comparison.differences.sort_unstable();
    Ok(comparison)
}

fn compare<P: MutantPairs>(
    pairs: &P,
    at: usize,
    stored: &StoredMutants,
) -> Result<MutantComparison, RunError> {
    let mut comparison = MutantComparison::default();
    for (mutant, at_first_reach) in stored.verdicts.iter().copied() {
        let in_new_process = pairs.run_new_process(at, mutant)?;
        comparison.verdicts += 1;
        if in_new_process != at_first_reach {
            let (relation, name) = pairs.name(at);
            let pair = (relation.to_owned(), name.to_owned());
            let found = MutantDifference { pair, mutant, at_first_reach, in_new_process };
            comparison.differences.push(found);
        }
    }
    Ok(comparison)
}
