//! Workers that share the tests of a plan, state by state.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use metacov_core::{SuccessRates, Verdict};
use metacov_formats::Error;
use metacov_run::{PoolState, RunError, run_jobs};

use super::answers::{Activity, Answers, WorkerLoss};
use super::host::{WorkerOptions, WorkerProcess, unexpected_reply};
use super::protocol::{Answer, Request, SetupDone, TestBatch, TestResult};
use crate::plan::TestPlan;
use crate::timing::PhaseTimes;

/// Statistics of a run, besides its results.
#[derive(Debug, Default)]
pub struct RunLog {
    /// How many generated statements worked.
    pub successes: SuccessRates,
    /// Where the workers' time went.
    pub times: PhaseTimes,
}

/// A test that has finished.
pub(crate) struct TestDone<'e> {
    pub(crate) place: u64,
    pub(crate) relation: &'static str,
    pub(crate) number: u64,
    pub(crate) result: TestResult,
    /// The worker that ran it.
    pub(crate) worker: &'e WorkerProcess,
}

/// Receives the results of tests, in one thread.
pub(crate) trait ResultSink {
    /// Whether this test is still to be run.
    fn wants(&self, place: u64, relation: &'static str, number: u64) -> Result<bool, Error>;
    /// Called before the tests on a state.
    fn set_state(&mut self, done: SetupDone, worker: &WorkerProcess) -> io::Result<()>;
    /// Called for each test.
    fn take(&mut self, done: TestDone<'_>) -> Result<(), RunError>;
}

/// Runs the wanted tests of a plan, and returns the sinks of all threads. An interrupt ends it
/// early.
pub(crate) fn run<D: ResultSink + Send>(
    plan: &TestPlan,
    options: &WorkerOptions<'_>,
    sink: impl Fn() -> D + Sync,
) -> Result<(Vec<D>, RunLog), RunError> {
    let tests = Tests { plan, options, log: Mutex::default() };
    let workers = options.workers.get().min(usize::try_from(plan.subjects).unwrap_or(1));
    let next = AtomicU64::new(0);
    let next = |_: &PoolState| {
        if options.interrupted.load(Relaxed) {
            return None;
        }
        let subject = next.fetch_add(1, Relaxed);
        (subject < plan.subjects).then_some((subject, ()))
    };
    let sinks = run_jobs(workers, next, |jobs| {
        let (mut sink, mut worker) = (sink(), None);
        jobs.run(|subject, ()| {
            let ran = tests.run_on(subject, &mut worker, &mut sink);
            ran.map_err(|error| error.of(&format!("database {subject}")))
        });
        sink
    })?;
    Ok((sinks, tests.log.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// The tests of a plan, and their statistics.
struct Tests<'r> {
    plan: &'r TestPlan,
    options: &'r WorkerOptions<'r>,
    log: Mutex<RunLog>,
}

impl Tests<'_> {
    fn log(&self) -> MutexGuard<'_, RunLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the wanted tests on a state, with as many workers as that takes.
    fn run_on(
        &self,
        subject: u64,
        worker: &mut Option<WorkerProcess>,
        sink: &mut impl ResultSink,
    ) -> Result<(), RunError> {
        let mut rest = VecDeque::new();
        for (relation, number) in self.plan.tests(subject) {
            let place = self.plan.place(relation, number);
            if sink.wants(place, self.options.relation(relation)?, number)? {
                rest.push_back((relation, number));
            }
        }
        let (mut is_cautious, mut is_first) = (false, true);
        while !rest.is_empty() {
            let mut running = match worker.take() {
                Some(running) => running,
                None => WorkerProcess::start(self.options)?,
            };
            let tests = rest.iter().copied().collect();
            let job = TestBatch { seed: self.plan.seed, subject, tests, is_cautious };
            running.ask(&Request::Run(job));
            let lost = self.follow(&mut running, &mut rest, sink, is_first)?;
            is_first = false;
            let Some(lost) = lost else {
                *worker = Some(running);
                continue;
            };
            match lost.activity {
                // No test can run on it.
                Activity::Setup(_) => {
                    while let Some(test) = rest.pop_front() {
                        self.take(test, lost_result(&lost), &running, sink)?;
                    }
                }
                // Rerun and announce each test, to find the one that ends the worker.
                Activity::Test(..) if !is_cautious => is_cautious = true,
                Activity::Test(..) => {
                    if let Some(test) = rest.pop_front() {
                        self.take(test, lost_result(&lost), &running, sink)?;
                    }
                    is_cautious = false;
                }
            }
            *worker = (!lost.is_gone).then_some(running);
        }
        Ok(())
    }

    /// Reads the answers of a worker to a batch, and removes the tests that they report from the
    /// list. Returns how the worker was lost, if it does not finish.
    fn follow(
        &self,
        worker: &mut WorkerProcess,
        rest: &mut VecDeque<(usize, u64)>,
        sink: &mut impl ResultSink,
        is_first: bool,
    ) -> Result<Option<WorkerLoss>, RunError> {
        let mut answers = Answers::new();
        loop {
            match answers.next(worker, self.options)? {
                Ok(Answer::Built(built)) => {
                    // A state that is created again is counted once.
                    if is_first {
                        self.log().take(&built);
                    }
                    sink.set_state(built, worker)?;
                }
                Ok(Answer::Tested(batch)) => {
                    for result in batch {
                        let test = rest.pop_front().ok_or_else(unexpected_reply)?;
                        self.take(test, result, worker, sink)?;
                    }
                }
                Ok(Answer::Done(times)) if rest.is_empty() => {
                    self.log().times.add(&times);
                    return Ok(None);
                }
                Ok(_) => return Err(unexpected_reply()),
                Err(lost) => return Ok(Some(lost)),
            }
        }
    }

    fn take(
        &self,
        (relation, number): (usize, u64),
        result: TestResult,
        worker: &WorkerProcess,
        sink: &mut impl ResultSink,
    ) -> Result<(), RunError> {
        let (place, relation) =
            (self.plan.place(relation, number), self.options.relation(relation)?);
        {
            let successes = &mut self.log().successes;
            successes.side(relation, 'a', result.worked[0]);
            successes.side(relation, 'b', result.worked[1]);
        }
        sink.take(TestDone { place, relation, number, result, worker })
    }
}

impl RunLog {
    fn take(&mut self, built: &SetupDone) {
        for (kind, tried, worked) in &built.kinds {
            self.successes.add(kind, *tried, *worked);
        }
    }
}

/// The result of a test that was lost with a worker.
fn lost_result(lost: &WorkerLoss) -> TestResult {
    let mut missing = lost.missing.clone();
    let (sides, side) = match &lost.activity {
        Activity::Test(sides, side) => (sides.clone(), *side),
        Activity::Setup(_) => {
            if missing.output_tail.is_empty() {
                "while its database was made".clone_into(&mut missing.output_tail);
            }
            (None, 0)
        }
    };
    TestResult {
        micros: 0,
        sides,
        worked: [side > 0, false],
        verdict: Verdict::Lost { side: Some(side), missing },
        judge: None,
        covers: None,
    }
}
