//! Workers that share the tests of a plan, database by database.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use metacov_core::Missing;
use metacov_formats::{Error, Fault};
use metacov_relations::{ALL, SuccessRates};
use metacov_run::{PoolState, StopReason, run_jobs};

use crate::message::{Answer, Request, SetupDone, TestBatch, TestResult};
use crate::plan::Plan;
use crate::time::PhaseTimes;
use crate::worker::{Heard, Worker, WorkerOptions};

/// What a run leaves besides its results.
#[derive(Debug, Default)]
pub struct RunLog {
    /// How much of what was generated worked.
    pub successes: SuccessRates,
    /// Where the workers' time went.
    pub spent: PhaseTimes,
}

/// A test that came to an end.
pub(crate) struct Ended<'e> {
    pub(crate) place: u64,
    pub(crate) relation: &'static str,
    pub(crate) number: u64,
    pub(crate) tested: TestResult,
    /// The worker that ran it.
    pub(crate) worker: &'e Worker,
}

/// Takes in what comes of tests, in one thread.
pub(crate) trait Desk {
    /// Whether this test is still to be run.
    fn wants(&self, place: u64, relation: &'static str, number: u64) -> Result<bool, Error>;
    /// The next tests are on this database.
    fn set_database(&mut self, built: SetupDone, worker: &Worker) -> io::Result<()>;
    /// What came of a test.
    fn take(&mut self, ended: Ended<'_>) -> Result<(), StopReason>;
}

/// Runs the tests of a plan that are wanted; the desks of all threads. An interrupt ends it early.
pub(crate) fn run<D: Desk + Send>(
    plan: &Plan,
    conditions: &WorkerOptions<'_>,
    desk: impl Fn() -> D + Sync,
) -> Result<(Vec<D>, RunLog), StopReason> {
    let tests = Tests { plan, conditions, log: Mutex::default() };
    let workers = conditions.workers.get().min(usize::try_from(plan.databases).unwrap_or(1));
    let next = AtomicU64::new(0);
    let next = |_: &PoolState| {
        let database = next.fetch_add(1, Relaxed);
        (database < plan.databases).then_some((database, ()))
    };
    let desks = run_jobs(workers, next, |jobs| {
        let (mut desk, mut worker) = (desk(), None);
        jobs.run(|database, ()| tests.run_on(database, &mut worker, &mut desk));
        desk
    })?;
    Ok((desks, tests.log.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// The tests of a plan, and what comes of them besides their results.
struct Tests<'r> {
    plan: &'r Plan,
    conditions: &'r WorkerOptions<'r>,
    log: Mutex<RunLog>,
}

impl Tests<'_> {
    fn log(&self) -> MutexGuard<'_, RunLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All tests on a database that are wanted, with as many workers as that takes.
    fn run_on(
        &self,
        database: u64,
        worker: &mut Option<Worker>,
        desk: &mut impl Desk,
    ) -> Result<(), StopReason> {
        let fault = |error| StopReason::Input(Fault::Io(error).of(format!("database {database}")));
        let mut rest = VecDeque::new();
        for (relation, number) in self.plan.tests(database) {
            let place = self.plan.place(relation, number);
            if desk.wants(place, ALL[relation].name(), number).map_err(StopReason::Input)? {
                rest.push_back((relation, number));
            }
        }
        let mut is_cautious = false;
        while !rest.is_empty() {
            let mut running = match worker.take() {
                Some(running) => running,
                None => Worker::start(self.conditions).map_err(fault)?,
            };
            let tests = rest.iter().copied().collect();
            let job = TestBatch { seed: self.plan.seed, database, tests, is_cautious };
            running.ask(&Request::Run(job));
            let lost = self.follow(&mut running, &mut rest, desk, fault)?;
            let Some(lost) = lost else {
                *worker = Some(running);
                continue;
            };
            match lost.at {
                // Nothing can be run on it.
                At::Database => {
                    while let Some(test) = rest.pop_front() {
                        self.take(test, lost.tested(), &running, desk)?;
                    }
                }
                // Which test it was shows if each is told before it is run.
                At::Tests if !is_cautious => is_cautious = true,
                At::Tests => {
                    if let Some(test) = rest.pop_front() {
                        self.take(test, lost.tested(), &running, desk)?;
                    }
                    is_cautious = false;
                }
            }
            *worker = (!lost.is_gone).then_some(running);
        }
        Ok(())
    }

    /// Hears what a worker says of a job, and takes the tests that it tells of off the list; how it
    /// was lost, if it does not come to the end.
    fn follow(
        &self,
        worker: &mut Worker,
        rest: &mut VecDeque<(usize, u64)>,
        desk: &mut impl Desk,
        fault: impl Fn(io::Error) -> StopReason,
    ) -> Result<Option<WorkerLoss>, StopReason> {
        let (mut at, mut statements, mut side) = (At::Database, None, 0);
        let (missing, is_gone) = loop {
            match worker.hear(self.conditions).map_err(&fault)? {
                Heard::Answer(Answer::SetupDone(built)) => {
                    at = At::Tests;
                    self.log().take(&built);
                    desk.set_database(built, worker).map_err(&fault)?;
                }
                Heard::Answer(Answer::Next(sides)) => (statements, side) = (Some(sides), 0),
                Heard::Answer(Answer::Side(number)) => side = number,
                Heard::Answer(Answer::TestResult(batch)) => {
                    for tested in batch {
                        let test = rest.pop_front();
                        let test = test.ok_or_else(|| fault(nonsense("more tests than asked")))?;
                        self.take(test, tested, worker, desk)?;
                    }
                }
                Heard::Answer(Answer::Done(spent)) if rest.is_empty() => {
                    self.log().spent.add(&spent);
                    return Ok(None);
                }
                Heard::Answer(Answer::Failed(what)) => return Err(fault(io::Error::other(what))),
                Heard::Answer(Answer::Lost(lost)) => break (lost, false),
                Heard::Answer(_) => return Err(fault(nonsense("another answer than asked for"))),
                Heard::Gone(missing) => break (missing, true),
            }
        };
        Ok(Some(WorkerLoss { at, missing, is_gone, statements, side }))
    }

    fn take(
        &self,
        (relation, number): (usize, u64),
        tested: TestResult,
        worker: &Worker,
        desk: &mut impl Desk,
    ) -> Result<(), StopReason> {
        let (place, relation) = (self.plan.place(relation, number), ALL[relation].name());
        {
            let successes = &mut self.log().successes;
            successes.side(relation, 'a', tested.worked[0]);
            successes.side(relation, 'b', tested.worked[1]);
        }
        desk.take(Ended { place, relation, number, tested, worker })
    }
}

impl RunLog {
    fn take(&mut self, built: &SetupDone) {
        for (kind, tried, worked) in &built.kinds {
            self.successes.add(kind, *tried, *worked);
        }
    }
}

/// How a worker was lost.
struct WorkerLoss {
    at: At,
    missing: Missing,
    /// Whether the worker itself has ended, and not only its child.
    is_gone: bool,
    statements: Option<[Vec<String>; 2]>,
    side: usize,
}

/// What a worker was doing when it was lost.
enum At {
    Database,
    Tests,
}

impl WorkerLoss {
    /// What a test is that was lost with it.
    fn tested(&self) -> TestResult {
        let mut missing = self.missing.clone();
        if matches!(self.at, At::Database) && missing.output_tail.is_empty() {
            "while its database was made".clone_into(&mut missing.output_tail);
        }
        let (statements, outcome) = (self.statements.clone(), Err((self.side, missing)));
        TestResult { micros: 0, statements, worked: [self.side > 0, false], outcome }
    }
}

fn nonsense(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a worker that makes no sense: {what}"))
}
