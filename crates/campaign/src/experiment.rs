//! Given statements: pairs that somebody wrote down, and changes of them, run as generated tests are.

use std::io;
use std::sync::Mutex;
use std::thread;

use metacov_core::{Cover, Missing, Outcome, Pair, SiteTable, codec};
use metacov_exec::Engine;
use metacov_relations::Side;
use serde::{Deserialize, Serialize};

use crate::bench::TestBench;
use crate::message::{Answer, Request};
use crate::worker::{Heard, Worker, WorkerOptions};

/// What a switch of the optimiser is in the words of SQLite's shell.
const SWITCH: &str = ".testctrl optimizations ";

/// A database and pairs on it, statement by statement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CaseBatch {
    /// What makes the database. A statement that fails is part of it.
    pub setup: Vec<String>,
    /// The statements of both sides of each pair.
    pub pairs: Vec<[Vec<String>; 2]>,
}

/// What came of an experiment.
#[derive(Debug)]
pub struct CaseResult {
    /// Of each statement of the setup: whether it worked.
    pub worked: Vec<bool>,
    /// What making the database ran, and what an engine does only once; if that is measured.
    pub setup: Option<Cover>,
    /// Of each pair: what its sides gave and ran, or which side was lost, and how.
    pub pairs: Vec<Result<PairResult, (usize, Missing)>>,
}

/// A pair that ran.
#[derive(Clone, Debug)]
pub struct PairResult {
    /// What the sides gave.
    pub outcomes: Pair<Outcome>,
    /// What the sides ran themselves, without the setup; if that is measured.
    pub sides: Option<Pair<Cover>>,
}

impl PairResult {
    /// What both sides ran, the setup included, which is a part of both.
    pub fn covers(&self, setup: Option<&Cover>) -> io::Result<Pair<Cover>> {
        let (Some(sides), Some(setup)) = (&self.sides, setup) else {
            return Err(io::Error::other("nobody has measured what this pair runs"));
        };
        Ok(sides.clone().map(|mut side| {
            side |= setup;
            side
        }))
    }
}

/// Workers for experiments.
pub struct CaseRunner<'c> {
    conditions: &'c WorkerOptions<'c>,
    workers: Vec<Option<Worker>>,
    /// The table of the first worker: all of one setting number sites alike.
    table: SiteTable,
}

impl<'c> CaseRunner<'c> {
    /// Starts the workers.
    pub fn new(conditions: &'c WorkerOptions<'c>) -> io::Result<Self> {
        let mut workers = Vec::new();
        for _ in 0..conditions.workers.get() {
            workers.push(Worker::start(conditions)?);
        }
        let table = workers[0].take_table();
        let workers = workers.into_iter().map(Some).collect();
        Ok(CaseRunner { conditions, workers, table })
    }

    /// All sites: what the covers are covers of.
    pub fn table(&self) -> &SiteTable {
        &self.table
    }

    /// Runs experiments; what came of each, in their order. One whose setup ends the engine is an
    /// [`Err`] with how it ended.
    pub fn run(
        &mut self,
        experiments: &[CaseBatch],
    ) -> io::Result<Vec<Result<CaseResult, Missing>>> {
        let next = Mutex::new(0..experiments.len());
        let (conditions, table) = (self.conditions, &self.table);
        let work = |worker: &mut Option<Worker>| -> io::Result<Vec<_>> {
            let mut done = Vec::new();
            loop {
                let at = next.lock().ok().and_then(|mut next| next.next());
                let Some(at) = at else { return Ok(done) };
                done.push((at, attempt(&experiments[at], worker, conditions, table)?));
            }
        };
        let results = thread::scope(|scope| {
            let threads: Vec<_> =
                self.workers.iter_mut().map(|worker| scope.spawn(|| work(worker))).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| match thread.join() {
                Ok(results) => results,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            threads.into_iter().map(join).collect::<io::Result<Vec<Vec<_>>>>()
        })?;
        let mut results: Vec<_> = results.into_iter().flatten().collect();
        results.sort_by_key(|(at, _)| *at);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }

    /// Ends all workers: what is run next is run by new ones.
    pub fn restart(&mut self) {
        self.workers.iter_mut().for_each(|worker| *worker = None);
    }
}

/// Has workers run an experiment. A pair that ends the engine takes all others with it, so it is searched
/// for among the halves.
fn attempt(
    experiment: &CaseBatch,
    worker: &mut Option<Worker>,
    conditions: &WorkerOptions<'_>,
    table: &SiteTable,
) -> io::Result<Result<CaseResult, Missing>> {
    let missing = match ask(experiment, worker, conditions)? {
        Ok(attempt) => return attempt.tried(table).map(Ok),
        Err(missing) => missing,
    };
    let part = |pairs: &[[Vec<String>; 2]]| CaseBatch {
        setup: experiment.setup.clone(),
        pairs: pairs.into(),
    };
    match experiment.pairs.len() {
        0 => Ok(Err(missing)),
        1 => {
            let tried = attempt(&part(&[]), worker, conditions, table)?;
            // The first side alone tells which of the two it was.
            let first = CaseBatch {
                setup: experiment.setup.clone(),
                pairs: experiment.pairs.iter().map(|[a, _]| [a.clone(), Vec::new()]).collect(),
            };
            let is_second = tried.is_ok() && ask(&first, worker, conditions)?.is_ok();
            Ok(tried.map(|mut tried| {
                tried.pairs.push(Err((usize::from(is_second), missing)));
                tried
            }))
        }
        pairs => {
            let (first, second) = experiment.pairs.split_at(pairs / 2);
            let first = attempt(&part(first), worker, conditions, table)?;
            let second = attempt(&part(second), worker, conditions, table)?;
            Ok(first.and_then(|mut tried| {
                tried.pairs.extend(second?.pairs);
                Ok(tried)
            }))
        }
    }
}

/// Has a worker run an experiment; if it is gone, the next experiment has a new one.
fn ask(
    experiment: &CaseBatch,
    worker: &mut Option<Worker>,
    conditions: &WorkerOptions<'_>,
) -> io::Result<Result<Attempt, Missing>> {
    let mut running = match worker.take() {
        Some(running) => running,
        None => Worker::start(conditions)?,
    };
    running.ask(&Request::Try(experiment.clone()));
    let answer = match running.hear(conditions)? {
        Heard::Gone(missing) => return Ok(Err(missing)),
        Heard::Answer(answer) => answer,
    };
    *worker = Some(running);
    match answer {
        Answer::CaseResult(attempt) => Ok(Ok(attempt)),
        Answer::Lost(lost) => Ok(Err(lost)),
        Answer::Failed(what) => Err(io::Error::other(what)),
        _ => Err(io::Error::other("a worker that makes no sense")),
    }
}

/// What came of an experiment, on its way.
#[derive(Debug, Serialize, Deserialize)]
pub struct Attempt {
    worked: Vec<bool>,
    /// A cover as bytes, if it is measured.
    setup: Option<Vec<u8>>,
    /// Of each side: what it gave, and what it ran, as bytes, if that is measured.
    pairs: Vec<[(Outcome, Option<Vec<u8>>); 2]>,
}

impl Attempt {
    fn tried(self, table: &SiteTable) -> io::Result<CaseResult> {
        let cover = |bytes: &[u8]| {
            let mut cover = Cover::of(table);
            codec::flip(bytes, table.len(), &mut cover).map_err(io::Error::other)?;
            Ok::<_, io::Error>(cover)
        };
        let pair = |[(a, a_ran), (b, b_ran)]: [(Outcome, Option<Vec<u8>>); 2]| {
            let outcomes = Pair { a, b };
            let sides = a_ran
                .zip(b_ran)
                .map(|(a, b)| Ok::<_, io::Error>(Pair { a: cover(&a)?, b: cover(&b)? }));
            Ok(Ok(PairResult { outcomes, sides: sides.transpose()? }))
        };
        let pairs = self.pairs.into_iter().map(pair).collect::<io::Result<_>>()?;
        let setup = self.setup.as_deref().map(cover).transpose()?;
        Ok(CaseResult { worked: self.worked, setup, pairs })
    }
}

impl TestBench<'_> {
    /// Makes a database and runs pairs on it, in the worker.
    pub(crate) fn attempt(
        &mut self,
        engine: &Engine,
        experiment: &CaseBatch,
    ) -> io::Result<Attempt> {
        let is_measured = self.gauge.is_some();
        let (mut place, worked) = self.place(engine, |connection, operations_max| {
            let works = |statement: &String| {
                let outcome = connection.run([statement.as_str()], operations_max);
                matches!(outcome, Outcome::Rows(_))
            };
            experiment.setup.iter().map(works).collect()
        })?;
        let mut pairs = Vec::new();
        for [a, b] in &experiment.pairs {
            let mut run = |side: &[String]| {
                let (outcome, ran) = place.side(&side_of(side))?;
                Ok::<_, io::Error>((outcome, ran.as_ref().map(codec::encode)))
            };
            pairs.push([run(a)?, run(b)?]);
        }
        let setup = is_measured.then(|| codec::encode(place.setup()));
        Ok(Attempt { worked, setup, pairs })
    }
}

/// A side from its statements; switches stand in front of them, in the words of SQLite's shell.
fn side_of(statements: &[String]) -> Side {
    let switch = |text: &String| {
        let mask = text.strip_prefix(SWITCH)?.trim();
        u32::from_str_radix(mask.strip_prefix("0x")?, 16).ok()
    };
    Side {
        optimizations_off: statements.iter().find_map(switch),
        statements: statements.iter().filter(|text| !text.starts_with('.')).cloned().collect(),
    }
}
