//! A worker, as metacov sees it.

use std::io;
use std::num::NonZero;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use metacov_core::{Cover, Exit, Failure, Group, Language, Missing, Reading, SiteTable, codec};
use metacov_exec::{HelperEvent, Target};
use metacov_run::RunError;

use super::link::{Launch, Link};
use super::protocol::{Answer, Request, SitesData, WorkerConfig, decode, decode_before, encode};

/// How to run tests.
pub struct WorkerOptions<'c> {
    /// The target under test.
    pub target: &'static dyn Target,
    /// Which library of it to load, and what to measure.
    pub config: &'c WorkerConfig,
    /// How many workers.
    pub workers: NonZero<usize>,
    /// How long a worker may take before it answers, or an input if the target limits that.
    pub timeout: Duration,
    /// The memory limit of a worker.
    pub memory_bytes: Option<u64>,
    /// Set to end all workers.
    pub interrupted: &'c AtomicBool,
    /// The sites of the library, as its first worker reports them.
    pub sites: OnceLock<Arc<Sites>>,
    /// What workers run in.
    pub launch: Launch,
}

/// More inputs than a worker runs between two answers.
const INPUTS_PER_ANSWER_MAX: u32 = 1000;

/// The default timeout of a worker. Statements are limited by steps; this is for hangs.
const TIMEOUT: Duration = Duration::from_secs(600);

impl<'c> WorkerOptions<'c> {
    /// Options for one worker, without a memory limit.
    pub fn new(
        target: &'static dyn Target,
        config: &'c WorkerConfig,
        interrupted: &'c AtomicBool,
    ) -> Self {
        WorkerOptions {
            target,
            config,
            workers: NonZero::<usize>::MIN,
            timeout: TIMEOUT,
            memory_bytes: None,
            interrupted,
            sites: OnceLock::new(),
            launch: Launch::Process,
        }
    }

    /// The same options for one worker with another library.
    #[must_use]
    pub fn single(&self, config: &'c WorkerConfig) -> Self {
        let sites = OnceLock::new();
        WorkerOptions { config, workers: NonZero::<usize>::MIN, sites, ..*self }
    }

    /// How long a worker may take before it answers.
    fn patience(&self) -> Duration {
        let inputs = if self.target.limits_time() { INPUTS_PER_ANSWER_MAX } else { 1 };
        self.timeout.saturating_mul(inputs)
    }

    /// The name of the relation at a position.
    pub(crate) fn relation(&self, position: usize) -> io::Result<&'static str> {
        let relation = self.target.method().relations().get(position);
        relation.map(|relation| relation.name).ok_or_else(|| io::Error::other("unknown relation"))
    }

    /// The language of its inputs.
    pub(crate) fn language(&self) -> &'static dyn Language {
        self.target.method().language()
    }

    /// Returns the sites of the library: those that were reported first. All others must equal
    /// them.
    fn sites_of(&self, data: SitesData, table: &[u8]) -> io::Result<Arc<Sites>> {
        let build = data.build;
        if self.sites.get().is_none() {
            let (table, universe) = data.with_table(table)?;
            let _ = self.sites.set(Arc::new(Sites { table, universe, build }));
        }
        match self.sites.get() {
            Some(sites) if sites.build == build => Ok(Arc::clone(sites)),
            _ => Err(io::Error::other("workers of the same library report different sites")),
        }
    }
}

/// How long a worker may take to start: it loads a library and reads notes.
const START_TIME: Duration = Duration::from_secs(300);

/// A worker that runs tests.
pub struct WorkerProcess {
    pub(crate) link: Link,
    /// The site table of its covers, if it measures.
    sites: Option<Arc<Sites>>,
}

/// The error of a worker that breaks the protocol.
pub(crate) fn unexpected_reply() -> RunError {
    RunError::Failed("unexpected reply from a worker".to_owned())
}

/// An answer of a worker, or its end.
pub(crate) enum Heard {
    Answer(Answer),
    /// It has ended, or was ended.
    Gone(Missing),
}

impl WorkerProcess {
    pub(crate) fn start(options: &WorkerOptions<'_>) -> Result<Self, RunError> {
        let mut link = Link::start(options.launch, options.memory_bytes)?;
        link.say(&encode(&WorkerConfig { time_max: options.timeout, ..options.config.clone() }));
        let message = match link.hear(START_TIME, options.interrupted)? {
            HelperEvent::Message(message) => message,
            HelperEvent::Ended(exit, words) => {
                // A library that is damaged may end the process without a word.
                let (library, words) = (options.config.library.display(), words.trim());
                let why =
                    if words.is_empty() { format!("{library}: {exit}") } else { words.to_owned() };
                return Err(RunError::Failed(format!("worker does not start: {why}")));
            }
            HelperEvent::Late => {
                let seconds = START_TIME.as_secs();
                let what = format!("the worker has not started within {seconds} seconds");
                return Err(RunError::Failed(what));
            }
        };
        let (Answer::Ready(sites), table) = decode_before(&message)? else {
            return Err(RunError::Failed("unexpected reply from a starting worker".to_owned()));
        };
        let sites = sites.map(|sites| options.sites_of(*sites, table)).transpose()?;
        Ok(WorkerProcess { link, sites })
    }

    pub(crate) fn ask(&mut self, request: &Request) {
        self.link.say(&encode(request));
    }

    /// Sends knowledge; returns false if the worker was lost.
    pub(crate) fn teach(
        &mut self,
        request: &Request,
        options: &WorkerOptions<'_>,
    ) -> Result<bool, RunError> {
        self.ask(request);
        match self.hear(options)? {
            Heard::Answer(Answer::Learned) => Ok(true),
            _ => Ok(false),
        }
    }

    /// Waits for an answer. A failure that the worker reports is an error.
    pub(crate) fn hear(&mut self, options: &WorkerOptions<'_>) -> Result<Heard, RunError> {
        Ok(match self.link.hear(options.patience(), options.interrupted)? {
            HelperEvent::Message(message) => match decode(&message)? {
                Answer::Failed(what) => return Err(RunError::Failed(what)),
                answer => Heard::Answer(answer),
            },
            HelperEvent::Ended(exit, output_tail) => {
                Heard::Gone(Missing { failure: Failure::Crashed, exit, output_tail })
            }
            HelperEvent::Late => {
                let (failure, exit) = (Failure::TimedOut, Exit::Timeout);
                Heard::Gone(Missing { failure, exit, output_tail: String::new() })
            }
        })
    }

    /// The sites that it reports.
    pub(crate) fn sites(&self) -> io::Result<&Arc<Sites>> {
        self.sites.as_ref().ok_or_else(|| io::Error::other("worker does not measure coverage"))
    }
}

/// All sites of a library.
pub struct Sites {
    /// The table.
    pub table: SiteTable,
    /// All sites, none of which ran.
    universe: Reading,
    build: u64,
}

impl Sites {
    /// Decodes a cover.
    pub(crate) fn cover(&self, bytes: &[u8]) -> io::Result<Cover> {
        let mut cover = Cover::of(&self.table);
        codec::flip(bytes, self.table.len(), &mut cover).map_err(io::Error::other)?;
        Ok(cover)
    }

    /// Decodes the covers of the sides, each as its difference from the one before; the first from
    /// the setup.
    pub(crate) fn group(&self, setup: &Cover, sides: &[Vec<u8>; 2]) -> io::Result<Group<Reading>> {
        let mut executed = setup.clone();
        let mut readings = Vec::new();
        for bytes in sides {
            codec::flip(bytes, self.table.len(), &mut executed).map_err(io::Error::other)?;
            readings.push(Reading { executed: executed.clone(), ..self.universe.clone() });
        }
        Group::new(readings).map_err(|_| io::Error::other("worker reported fewer than two sides"))
    }
}
