//! Given statements: pairs that somebody wrote down, and changes of them, run as generated tests are.

use std::io;
use std::sync::Mutex;
use std::thread;

use metacov_core::{Cover, Missing, Outcome, Pair, SiteTable, runs};
use metacov_exec::Engine;
use metacov_relations::Side;
use serde::{Deserialize, Serialize};

use crate::crew::{Conditions, Heard, Worker};
use crate::message::{Answer, Lost, Request, Told, encode};
use crate::work::Bench;

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
        let mut table = SiteTable::new();
        let own = &mut workers[0].table;
        std::mem::swap(own, &mut table);
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

/// Has a worker run a trial; if it is gone, the next trial has a new one.
fn attempt(
    trial: &Trial,
    worker: &mut Option<Worker>,
    conditions: &Conditions<'_>,
    table: &SiteTable,
) -> io::Result<Result<Tried, Missing>> {
    let mut running = match worker.take() {
        Some(running) => running,
        None => Worker::start(conditions)?,
    };
    running.servant.say(&encode(&Request::Try(trial.clone())));
    let answer = match running.hear(conditions)? {
        Heard::Gone(missing) => return Ok(Err(missing)),
        Heard::Answer(answer) => answer,
    };
    *worker = Some(running);
    match answer {
        Answer::Tried(attempt) => attempt.tried(table).map(Ok),
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
    pairs: Vec<Result<[(Told, Vec<u8>); 2], (usize, Lost)>>,
}

impl Attempt {
    fn tried(self, table: &SiteTable) -> io::Result<Tried> {
        let cover = |bytes: &[u8]| {
            let mut cover = Cover::of(table);
            runs::flip(bytes, table.len(), &mut cover).map_err(io::Error::other)?;
            Ok::<_, io::Error>(cover)
        };
        let pair = |pair: Result<[(Told, Vec<u8>); 2], _>| match pair {
            Ok([(a, a_ran), (b, b_ran)]) => {
                let outcomes = Pair { a, b }.map(Outcome::from);
                let sides = Pair { a: a_ran, b: b_ran }.try_map(|bytes: Vec<u8>| cover(&bytes))?;
                Ok(Ok(Ran { outcomes, sides }))
            }
            Err((side, lost)) => Ok(Err((side, Missing::from(lost)))),
        };
        let pairs = self.pairs.into_iter().map(pair).collect::<io::Result<_>>()?;
        Ok(Tried { worked: self.worked, setup: cover(&self.setup)?, pairs })
    }
}

impl Bench<'_> {
    /// Makes a database and runs pairs on it, in the worker.
    pub(crate) fn attempt(&mut self, engine: &Engine, trial: &Trial) -> io::Result<Attempt> {
        self.meter.reset()?;
        let mut connection = engine.open()?;
        let operations_max = self.setting.operations_max;
        let mut worked = Vec::new();
        for statement in &trial.setup {
            let outcome = connection.run([statement.as_str()], operations_max);
            worked.push(matches!(outcome, Outcome::Rows(_)));
        }
        let mut setup = self.meter.read(&mut self.intake).map_err(io::Error::other)?.executed;
        setup |= &self.once;
        let mut pairs = Vec::new();
        for sides in &trial.pairs {
            let mut ran = Vec::new();
            let mut lost = None;
            for (at, side) in sides.iter().enumerate() {
                match self.side(&mut connection, &side_of(side))? {
                    Ok((outcome, cover)) => ran.push((outcome.into(), runs::encode(&cover))),
                    Err(missing) => {
                        lost = Some((at, missing.into()));
                        break;
                    }
                }
            }
            pairs.push(match (lost, <[_; 2]>::try_from(ran)) {
                (Some(lost), _) => Err(lost),
                (None, Ok(ran)) => Ok(ran),
                (None, Err(_)) => return Err(io::Error::other("a pair has two sides")),
            });
        }
        Ok(Attempt { worked, setup: runs::encode(&setup), pairs })
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
