//! Given statements: pairs that somebody wrote down, and changes of them, run as generated tests are.

use std::io;
use std::sync::Mutex;
use std::thread;

use metacov_core::{Cover, Missing, Outcome, Pair, SiteTable, runs};
use metacov_exec::Engine;
use metacov_relations::Side;
use serde::{Deserialize, Serialize};

use crate::bench::Bench;
use crate::message::{Answer, Request, Told};
use crate::worker::{Conditions, Heard, Worker};

/// What a switch of the optimiser is in the words of SQLite's shell.
const SWITCH: &str = ".testctrl optimizations ";

/// A database and pairs on it, statement by statement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Trial {
    /// What makes the database. A statement that fails is part of it.
    pub setup: Vec<String>,
    /// The statements of both sides of each pair.
    pub pairs: Vec<[Vec<String>; 2]>,
}

/// What came of a trial.
#[derive(Debug)]
pub struct Tried {
    /// Of each statement of the setup: whether it worked.
    pub worked: Vec<bool>,
    /// What making the database ran, and what an engine does only once.
    pub setup: Cover,
    /// Of each pair: what its sides gave and ran, or which side was lost, and how.
    pub pairs: Vec<Result<Ran, (usize, Missing)>>,
}

/// A pair that ran.
#[derive(Clone, Debug)]
pub struct Ran {
    /// What the sides gave.
    pub outcomes: Pair<Outcome>,
    /// What the sides ran themselves, without the setup.
    pub sides: Pair<Cover>,
}

impl Ran {
    /// What both sides ran, the setup included, which is a part of both.
    pub fn covers(&self, setup: &Cover) -> Pair<Cover> {
        self.sides.clone().map(|mut side| {
            side |= setup;
            side
        })
    }
}

/// Workers for trials.
pub struct Laboratory<'c> {
    conditions: &'c Conditions<'c>,
    workers: Vec<Option<Worker>>,
    /// The table of the first worker: all of one setting number sites alike.
    table: SiteTable,
}

impl<'c> Laboratory<'c> {
    /// Starts the workers.
    pub fn new(conditions: &'c Conditions<'c>) -> io::Result<Self> {
        let mut workers = Vec::new();
        for _ in 0..conditions.workers.get() {
            workers.push(Worker::start(conditions)?);
        }
        let table = workers[0].take_table();
        let workers = workers.into_iter().map(Some).collect();
        Ok(Laboratory { conditions, workers, table })
    }

    /// All sites: what the covers are covers of.
    pub fn table(&self) -> &SiteTable {
        &self.table
    }

    /// Runs trials; what came of each, in their order. One whose setup ends the engine is an
    /// [`Err`] with how it ended.
    pub fn run(&mut self, trials: &[Trial]) -> io::Result<Vec<Result<Tried, Missing>>> {
        let next = Mutex::new(0..trials.len());
        let (conditions, table) = (self.conditions, &self.table);
        let work = |worker: &mut Option<Worker>| -> io::Result<Vec<_>> {
            let mut done = Vec::new();
            loop {
                let at = next.lock().ok().and_then(|mut next| next.next());
                let Some(at) = at else { return Ok(done) };
                done.push((at, attempt(&trials[at], worker, conditions, table)?));
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
}

/// Has workers run a trial. A pair that ends the engine takes all others with it, so it is searched
/// for among the halves.
fn attempt(
    trial: &Trial,
    worker: &mut Option<Worker>,
    conditions: &Conditions<'_>,
    table: &SiteTable,
) -> io::Result<Result<Tried, Missing>> {
    let missing = match ask(trial, worker, conditions)? {
        Ok(attempt) => return attempt.tried(table).map(Ok),
        Err(missing) => missing,
    };
    let part =
        |pairs: &[[Vec<String>; 2]]| Trial { setup: trial.setup.clone(), pairs: pairs.into() };
    match trial.pairs.len() {
        0 => Ok(Err(missing)),
        1 => Ok(attempt(&part(&[]), worker, conditions, table)?.map(|mut tried| {
            tried.pairs.push(Err((0, missing)));
            tried
        })),
        pairs => {
            let (first, second) = trial.pairs.split_at(pairs / 2);
            let first = attempt(&part(first), worker, conditions, table)?;
            let second = attempt(&part(second), worker, conditions, table)?;
            Ok(first.and_then(|mut tried| {
                tried.pairs.extend(second?.pairs);
                Ok(tried)
            }))
        }
    }
}

/// Has a worker run a trial; if it is gone, the next trial has a new one.
fn ask(
    trial: &Trial,
    worker: &mut Option<Worker>,
    conditions: &Conditions<'_>,
) -> io::Result<Result<Attempt, Missing>> {
    let mut running = match worker.take() {
        Some(running) => running,
        None => Worker::start(conditions)?,
    };
    running.ask(&Request::Try(trial.clone()));
    let answer = match running.hear(conditions)? {
        Heard::Gone(missing) => return Ok(Err(missing)),
        Heard::Answer(answer) => answer,
    };
    *worker = Some(running);
    match answer {
        Answer::Tried(attempt) => Ok(Ok(attempt)),
        Answer::Lost(lost) => Ok(Err(lost.into())),
        Answer::Failed(what) => Err(io::Error::other(what)),
        _ => Err(io::Error::other("a worker that makes no sense")),
    }
}

/// What came of a trial, on its way.
#[derive(Debug, Serialize, Deserialize)]
pub struct Attempt {
    worked: Vec<bool>,
    /// A cover as bytes.
    setup: Vec<u8>,
    /// Of each side: what it gave, and what it ran, as bytes.
    pairs: Vec<[(Told, Vec<u8>); 2]>,
}

impl Attempt {
    fn tried(self, table: &SiteTable) -> io::Result<Tried> {
        let cover = |bytes: &[u8]| {
            let mut cover = Cover::of(table);
            runs::flip(bytes, table.len(), &mut cover).map_err(io::Error::other)?;
            Ok::<_, io::Error>(cover)
        };
        let pair = |[(a, a_ran), (b, b_ran)]: [(Told, Vec<u8>); 2]| {
            let outcomes = Pair { a, b }.map(Outcome::from);
            let sides = Pair { a: cover(&a_ran)?, b: cover(&b_ran)? };
            Ok(Ok(Ran { outcomes, sides }))
        };
        let pairs = self.pairs.into_iter().map(pair).collect::<io::Result<_>>()?;
        Ok(Tried { worked: self.worked, setup: cover(&self.setup)?, pairs })
    }
}

impl Bench<'_> {
    /// Makes a database and runs pairs on it, in the worker.
    pub(crate) fn attempt(&mut self, engine: &Engine, trial: &Trial) -> io::Result<Attempt> {
        let (mut place, worked) = self.place(engine, |connection, operations_max| {
            let works = |statement: &String| {
                let outcome = connection.run([statement.as_str()], operations_max);
                matches!(outcome, Outcome::Rows(_))
            };
            trial.setup.iter().map(works).collect()
        })?;
        let mut pairs = Vec::new();
        for [a, b] in &trial.pairs {
            let mut run = |side: &[String]| {
                let (outcome, ran) = place.side(&side_of(side))?;
                let ran = ran.ok_or_else(|| io::Error::other("a worker that measures nothing"))?;
                Ok::<_, io::Error>((Told::from(outcome), runs::encode(&ran)))
            };
            pairs.push([run(a)?, run(b)?]);
        }
        Ok(Attempt { worked, setup: runs::encode(place.setup()), pairs })
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
