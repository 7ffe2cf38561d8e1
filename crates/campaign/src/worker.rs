//! A worker, as metacov sees it.

use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use metacov_core::{Cover, Exit, Failure, Group, Missing, Reading, SiteTable, codec};
use metacov_exec::{HelperEvent, HelperProcess};
use metacov_formats::{CoverageLoader, Snapshot};

use crate::message::{Answer, Counters, Coverage, Request, WorkerConfig, decode, encode};

/// How tests are run.
pub struct WorkerOptions<'c> {
    /// What is tested.
    pub setting: &'c WorkerConfig,
    /// How many workers.
    pub workers: NonZero<usize>,
    /// How long a worker may be silent.
    pub timeout: Duration,
    /// How much memory a worker may have.
    pub memory_bytes: Option<u64>,
    /// Set when all should end.
    pub interrupted: &'c AtomicBool,
}

/// How long a worker may take to start: it loads a library and reads notes, which is no test.
const START_TIME: Duration = Duration::from_secs(300);

/// A process that runs tests.
pub(crate) struct Worker {
    servant: HelperProcess,
    /// In whose numbers it tells what they ran, if it does.
    sites: Option<Arc<Sites>>,
}

/// What a worker said.
pub(crate) enum Heard {
    Answer(Answer),
    /// It has ended, or was ended.
    Gone(Missing),
}

impl Worker {
    pub(crate) fn start(conditions: &WorkerOptions<'_>) -> io::Result<Self> {
        let mut servant = HelperProcess::start(vec!["work".into()], conditions.memory_bytes)?;
        servant.say(&encode(conditions.setting));
        let message = match servant.hear(START_TIME, conditions.interrupted)? {
            HelperEvent::Message(message) => message,
            HelperEvent::Ended(_, words) => {
                return Err(io::Error::other(format!("the worker does not start: {words}")));
            }
            HelperEvent::Late => {
                let seconds = START_TIME.as_secs();
                let what = format!("the worker has not started within {seconds} seconds");
                return Err(io::Error::other(what));
            }
        };
        let Answer::Ready(counters) = decode(&message)? else {
            return Err(io::Error::other("the worker does not say how its counters lie"));
        };
        let sites = match (&conditions.setting.coverage, counters) {
            (Some(coverage), Some(counters)) => Some(Arc::new(Sites::of(coverage, &counters)?)),
            _ => None,
        };
        Ok(Worker { servant, sites })
    }

    pub(crate) fn ask(&mut self, request: &Request) {
        self.servant.say(&encode(request));
    }

    pub(crate) fn hear(&mut self, conditions: &WorkerOptions<'_>) -> io::Result<Heard> {
        Ok(match self.servant.hear(conditions.timeout, conditions.interrupted)? {
            HelperEvent::Message(message) => Heard::Answer(decode(&message)?),
            HelperEvent::Ended(exit, last_words) => {
                Heard::Gone(Missing { failure: Failure::Crashed, exit, last_words })
            }
            HelperEvent::Late => {
                let (failure, exit) = (Failure::TimedOut, Exit::Timeout);
                Heard::Gone(Missing { failure, exit, last_words: String::new() })
            }
        })
    }

    /// The sites that it tells of.
    pub(crate) fn sites(&self) -> io::Result<&Sites> {
        self.sites.as_deref().ok_or_else(unmeasured)
    }

    /// The same, to keep while the worker may go.
    pub(crate) fn shared_sites(&self) -> io::Result<Arc<Sites>> {
        self.sites.clone().ok_or_else(unmeasured)
    }

    /// The same, for good.
    pub(crate) fn take_table(&mut self) -> SiteTable {
        let sites = self.sites.take().and_then(Arc::into_inner);
        sites.map_or_else(SiteTable::new, |sites| sites.table)
    }
}

fn unmeasured() -> io::Error {
    io::Error::other("a worker that measures nothing")
}

/// All sites of a library.
pub(crate) struct Sites {
    pub(crate) table: SiteTable,
    /// All of them, none of which ran.
    universe: Reading,
}

impl Sites {
    fn of(coverage: &Coverage, counters: &Counters) -> io::Result<Self> {
        let scope = coverage.scope()?;
        let mut intake = CoverageLoader::new(&scope);
        let layouts = &counters.layouts;
        let zeros: Vec<Vec<u8>> = layouts.iter().map(|(_, bytes)| vec![0; *bytes]).collect();
        let snapshots: Vec<Snapshot<'_>> = layouts
            .iter()
            .zip(&zeros)
            .map(|((layout, _), counters)| Snapshot { layout: layout.as_slice().into(), counters })
            .collect();
        let universe = intake.read_snapshots(&snapshots).map_err(io::Error::other)?;
        let table = intake.into_table();
        if (table.len(), table.build_id().number()) != (counters.sites, counters.build) {
            return Err(io::Error::other("the worker knows other code than its notes"));
        }
        Ok(Sites { table, universe })
    }

    /// The sites that bytes tell of.
    pub(crate) fn cover(&self, bytes: &[u8]) -> io::Result<Cover> {
        let mut cover = Cover::of(&self.table);
        codec::flip(bytes, self.table.len(), &mut cover).map_err(io::Error::other)?;
        Ok(cover)
    }

    /// The sides that bytes tell of, each as what it differs in from the one before; the first from
    /// the setup.
    pub(crate) fn group(&self, setup: &Cover, sides: &[Vec<u8>; 2]) -> io::Result<Group<Reading>> {
        let mut executed = setup.clone();
        let mut readings = Vec::new();
        for bytes in sides {
            codec::flip(bytes, self.table.len(), &mut executed).map_err(io::Error::other)?;
            readings.push(Reading { executed: executed.clone(), ..self.universe.clone() });
        }
        Group::new(readings).map_err(|_| io::Error::other("too few sides"))
    }
}
