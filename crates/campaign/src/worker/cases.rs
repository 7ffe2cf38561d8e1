//! Runs given cases, and variants of them, like generated tests.

#[cfg(test)]
mod tests;

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use metacov_core::{Cover, Input, Missing, Outcome, Pair, SiteTable, codec};
use metacov_exec::used_processor_time;
use metacov_run::{PoolState, RunError, run_jobs};
use serde::{Deserialize, Serialize};

use super::bench::TestBench;
use super::host::{Heard, Sites, WorkerOptions, WorkerProcess, unexpected_reply};
use super::protocol::{Answer, Request};

/// A setup and tests on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CaseBatch {
    /// The statements of the setup, including those that fail.
    pub setup: Vec<String>,
    /// The inputs of both sides of each test.
    pub tests: Vec<Pair<Vec<Input>>>,
}

/// The results of a batch.
#[derive(Debug)]
pub struct CaseResult {
    /// Whether each statement of the setup worked.
    pub worked: Vec<bool>,
    /// The cover of the setup, with what the target runs only once, if it is measured.
    pub setup: Option<Cover>,
    /// For each test: the outcomes and covers of its sides, or which side was lost, and how.
    pub pairs: Vec<Result<PairResult, (usize, Missing)>>,
}

/// The results of a test.
#[derive(Clone, Debug)]
pub struct PairResult {
    /// The outcomes of the sides.
    pub outcomes: Pair<Vec<Outcome>>,
    /// The covers of the sides without the setup, if they are measured.
    pub sides: Option<Pair<Cover>>,
    /// The processor time of the sides, with that of processes that the target started.
    pub times: Pair<Duration>,
}

impl PairResult {
    /// Returns the covers of both sides, including the setup.
    pub fn covers(&self, setup: Option<&Cover>) -> io::Result<Pair<Cover>> {
        let (Some(sides), Some(setup)) = (&self.sides, setup) else {
            return Err(io::Error::other("pair was not measured"));
        };
        Ok(sides.clone().map(|mut side| {
            side |= setup;
            side
        }))
    }
}

/// Workers for given cases.
pub struct CaseRunner<'c> {
    options: &'c WorkerOptions<'c>,
    workers: Vec<Mutex<Option<WorkerProcess>>>,
}

impl<'c> CaseRunner<'c> {
    /// Starts the workers.
    pub fn new(options: &'c WorkerOptions<'c>) -> Result<Self, RunError> {
        let start = |_| WorkerProcess::start(options).map(|worker| Mutex::new(Some(worker)));
        let workers = (0..options.workers.get()).map(start).collect::<Result<_, _>>()?;
        Ok(CaseRunner { options, workers })
    }

    /// Returns the site table of the covers. It is empty if nothing is measured.
    pub fn table(&self) -> &SiteTable {
        static NOTHING: std::sync::LazyLock<SiteTable> = std::sync::LazyLock::new(SiteTable::new);
        self.options.sites.get().map_or(&NOTHING, |sites| &sites.table)
    }

    /// Runs batches, and returns their results in order. If the setup of a batch ends the target,
    /// its result is an [`Err`] with how it ended.
    pub fn run(
        &mut self,
        batches: &[CaseBatch],
    ) -> Result<Vec<Result<CaseResult, Missing>>, RunError> {
        let next = Mutex::new(0..batches.len());
        let next = |_: &PoolState| {
            let at = next.lock().ok().and_then(|mut next| next.next())?;
            Some((at as u64, at))
        };
        let results = run_jobs(self.workers.len(), next, |jobs| {
            let mut worker =
                self.workers[jobs.worker].lock().unwrap_or_else(PoisonError::into_inner);
            let mut done = Vec::new();
            jobs.run(|_, at| {
                done.push((at, attempt(&batches[at], &mut worker, self.options)?));
                Ok(())
            });
            done
        })?;
        let mut results: Vec<_> = results.into_iter().flatten().collect();
        if results.len() < batches.len() {
            return Err(RunError::Interrupted);
        }
        results.sort_by_key(|(at, _)| *at);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    /// Ends all workers, so that the next batches run in new ones.
    pub fn restart(&mut self) {
        self.workers.iter_mut().for_each(|worker| *worker = Mutex::default());
    }
}

/// Runs a batch. A test that ends the target takes all others with it, so the batch is bisected to
/// find it.
fn attempt(
    batch: &CaseBatch,
    worker: &mut Option<WorkerProcess>,
    options: &WorkerOptions<'_>,
) -> Result<Result<CaseResult, Missing>, RunError> {
    let missing = match ask(batch, worker, options)? {
        Ok(outcomes) => {
            return Ok(Ok(outcomes.decoded(options.sites.get().map(|sites| &**sites))?));
        }
        Err(missing) => missing,
    };
    let part =
        |tests: &[Pair<Vec<Input>>]| CaseBatch { setup: batch.setup.clone(), tests: tests.into() };
    match batch.tests.as_slice() {
        [] => Ok(Err(missing)),
        [test] => {
            let setup = attempt(&part(&[]), worker, options)?;
            // Running only the first side shows which of the two it was.
            let first = Pair { a: test.a.clone(), b: Vec::new() };
            let is_second = setup.is_ok() && ask(&part(&[first]), worker, options)?.is_ok();
            Ok(setup.map(|mut result| {
                result.pairs.push(Err((usize::from(is_second), missing)));
                result
            }))
        }
        tests => {
            let (first, second) = tests.split_at(tests.len() / 2);
            let mut result = match attempt(&part(first), worker, options)? {
                Ok(result) => result,
                // It was the setup, which the other half shares.
                Err(missing) => return Ok(Err(missing)),
            };
            Ok(attempt(&part(second), worker, options)?.map(|second| {
                result.pairs.extend(second.pairs);
                result
            }))
        }
    }
}

/// Sends a batch to a worker. If that is lost, the next batch gets a new one.
fn ask(
    batch: &CaseBatch,
    worker: &mut Option<WorkerProcess>,
    options: &WorkerOptions<'_>,
) -> Result<Result<CaseOutcomes, Missing>, RunError> {
    let mut running = match worker.take() {
        Some(running) => running,
        None => WorkerProcess::start(options)?,
    };
    running.ask(&Request::RunCases(batch.clone()));
    let answer = match running.hear(options)? {
        Heard::Gone(missing) => return Ok(Err(missing)),
        Heard::Answer(answer) => answer,
    };
    *worker = Some(running);
    match answer {
        Answer::RanCases(outcomes) => Ok(Ok(outcomes)),
        Answer::Lost(lost) => Ok(Err(lost)),
        _ => Err(unexpected_reply()),
    }
}

/// The outcomes of a side, its encoded cover, if measured, and its processor time.
type SideOutcome = (Vec<Outcome>, Option<Vec<u8>>, Duration);

/// The results of a batch, encoded.
#[derive(Debug, Serialize, Deserialize)]
pub struct CaseOutcomes {
    worked: Vec<bool>,
    /// The encoded cover of the setup, if measured.
    setup: Option<Vec<u8>>,
    tests: Vec<Pair<SideOutcome>>,
}

impl CaseOutcomes {
    fn decoded(self, sites: Option<&Sites>) -> io::Result<CaseResult> {
        let cover = |bytes: &[u8]| match sites {
            Some(sites) => sites.cover(bytes),
            None => Err(io::Error::other("worker reported coverage of unknown sites")),
        };
        let pair = |Pair { a: (a, a_ran, a_time), b: (b, b_ran, b_time) }: Pair<SideOutcome>| {
            let (outcomes, times) = (Pair { a, b }, Pair { a: a_time, b: b_time });
            let covers = a_ran
                .zip(b_ran)
                .map(|(a, b)| Ok::<_, io::Error>(Pair { a: cover(&a)?, b: cover(&b)? }));
            Ok(Ok(PairResult { outcomes, sides: covers.transpose()?, times }))
        };
        let pairs = self.tests.into_iter().map(pair).collect::<io::Result<_>>()?;
        let setup = self.setup.as_deref().map(cover).transpose()?;
        Ok(CaseResult { worked: self.worked, setup, pairs })
    }
}

impl TestBench<'_> {
    /// Creates a state and runs tests on it, in the worker.
    pub(crate) fn run_cases(&mut self, batch: &CaseBatch) -> io::Result<CaseOutcomes> {
        let is_measured = self.measuring.is_some();
        let (mut state, worked) = self.prepare(|bench| {
            let works = |statement: &String| {
                Ok(bench.session.run(&Input::of(statement.clone()))?.is_success())
            };
            batch.setup.iter().map(works).collect::<io::Result<Vec<bool>>>()
        })?;
        let mut tests = Vec::new();
        for test in &batch.tests {
            state.session().begin_test();
            tests.push(test.as_ref().try_map(|side| {
                let before = used_processor_time();
                let (outcomes, ran) = state.side(side)?;
                let time = used_processor_time().saturating_sub(before);
                Ok::<_, io::Error>((outcomes, ran.as_ref().map(codec::encode), time))
            })?);
        }
        let setup = is_measured.then(|| codec::encode(state.setup()));
        Ok(CaseOutcomes { worked, setup, tests })
    }
}
