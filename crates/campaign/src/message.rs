//! What metacov and its workers say to each other.

use std::path::PathBuf;

use metacov_core::{Exit, Failure, Missing, Outcome, Value};
use metacov_formats::Scope;
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::experiment::{Attempt, Experiment};
use crate::fuzz::{Changed, Round, Stretch};
use crate::time::Spent;

/// What is tested, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setting {
    /// The library.
    pub library: PathBuf,
    /// What a statement may do, in operations of SQLite's machine.
    pub operations_max: u64,
    /// Which code counts; nothing if nobody wants to know what runs.
    pub coverage: Option<Coverage>,
}

/// Which code counts, and how it is named.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Coverage {
    /// The folder of the library's notes.
    pub notes: PathBuf,
    /// Paths that start with the first start with the second instead.
    pub prefix_map: Vec<(String, String)>,
    /// Patterns of paths: only these, and not those.
    pub filter: Vec<String>,
    /// Patterns of paths that do not count.
    pub exclude: Vec<String>,
    /// Whether blocks are counted too.
    pub blocks: bool,
}

impl Coverage {
    /// Which code counts: the same for a worker and for metacov, so that both number sites alike.
    pub(crate) fn scope(&self) -> Scope {
        // Patterns were patterns before they were sent.
        let patterns =
            |texts: &[String]| texts.iter().filter_map(|text| Regex::new(text).ok()).collect();
        Scope {
            root: PathBuf::from("/"),
            prefix_map: self.prefix_map.clone(),
            filter: patterns(&self.filter),
            exclude: patterns(&self.exclude),
            blocks: self.blocks,
            notes: Some(self.notes.clone()),
            ..Scope::default()
        }
    }
}

/// A database, and the tests on it that are wanted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The seed of all.
    pub seed: u64,
    /// The number of the database.
    pub database: u64,
    /// By relation, as they stand in the table of all, and number.
    pub tests: Vec<(usize, u64)>,
    /// Whether each step is told before it is taken, because one of them ends the worker.
    pub is_cautious: bool,
}

/// What is asked of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// To run tests.
    Run(Job),
    /// To write them down.
    Write(Job),
    /// To run given statements.
    Try(Experiment),
    /// To go through a round of a campaign.
    Explore(Box<Round>),
}

/// A database and the tests on it, written down.
#[derive(Debug, Serialize, Deserialize)]
pub struct Script {
    /// What builds the database; some of it fails, and is part of it.
    pub setup: Vec<String>,
    /// In the order of the job: the statements of each side.
    pub tests: Vec<[Vec<String>; 2]>,
}

/// What a worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// First of all.
    Ready(Option<Counters>),
    /// The database is there.
    Built(Built),
    /// If it is cautious: a statement that makes or changes the database is next.
    Step(String),
    /// If it is cautious: a test is next, with the statements of its sides.
    Next([Vec<String>; 2]),
    /// If it is cautious: a side of it is next.
    Side(usize),
    /// What came of the next tests, in the order of the job.
    Tested(Vec<Tested>),
    /// What came of the next pairs of a round.
    Explored(Box<Stretch>),
    /// The database was changed.
    Changed(Changed),
    /// The process that made the database, or ran tests on it, has ended.
    Lost(Lost),
    /// What was asked for, written down.
    Written(Script),
    /// What came of an experiment.
    Tried(Attempt),
    /// The job is done; where the time went.
    Done(Spent),
    /// It cannot be done.
    Failed(String),
}

/// The counters of a library: how those of each image lie and how many bytes they are, how many
/// sites that makes, and the build.
#[derive(Debug, Serialize, Deserialize)]
pub struct Counters {
    pub layouts: Vec<(Vec<u8>, usize)>,
    pub sites: usize,
    pub build: u64,
}

/// A database that was made.
#[derive(Debug, Serialize, Deserialize)]
pub struct Built {
    /// What made it; some of it failed, and is part of it.
    pub setup: Vec<String>,
    /// By kind of statement: how many there were, and how many of them worked.
    pub kinds: Vec<(String, u64, u64)>,
    /// What making it ran, as bytes, if that is measured.
    pub executed: Vec<u8>,
}

/// What came of a test.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tested {
    /// How long it took.
    pub micros: u64,
    /// The statements of its sides, if somebody may want to see them.
    pub statements: Option<[Vec<String>; 2]>,
    /// Whether each side came to a result.
    pub worked: [bool; 2],
    /// What it showed, or which side has nothing to tell and why.
    pub outcome: Result<Judged, (usize, Lost)>,
}

/// A test that says something.
#[derive(Debug, Serialize, Deserialize)]
pub struct Judged {
    /// How the relation is violated, if it is.
    pub violated: Option<String>,
    /// If that is measured: what the sides ran, as bytes; the first as what it adds to the setup,
    /// the second as what it differs in from the first, both with the setup.
    pub sides: Option<[Vec<u8>; 2]>,
}

/// A side that has no cover.
#[derive(Debug, Serialize, Deserialize)]
pub struct Lost {
    kind: u8,
    /// An exit code or a signal.
    number: i32,
    words: String,
}

impl From<Missing> for Lost {
    fn from(missing: Missing) -> Self {
        let number = match missing.exit {
            Exit::Success | Exit::Timeout => 0,
            Exit::Failure(code) => code,
            Exit::Signalled(signal) => signal,
        };
        let kind = match missing.failure {
            Failure::Crashed => 0,
            Failure::TimedOut => 1,
            Failure::Invalid => 2,
            Failure::NoCounters => 3,
        };
        Lost { kind, number, words: missing.last_words }
    }
}

impl From<Lost> for Missing {
    fn from(lost: Lost) -> Self {
        let (failure, exit) = match lost.kind {
            0 => (Failure::Crashed, Exit::Signalled(lost.number)),
            1 => (Failure::TimedOut, Exit::Timeout),
            2 if lost.number == 0 => (Failure::Invalid, Exit::Success),
            2 => (Failure::Invalid, Exit::Failure(lost.number)),
            _ => (Failure::NoCounters, Exit::Success),
        };
        Missing { failure, exit, last_words: lost.words }
    }
}

/// An outcome on its way from a child to its parent.
#[derive(Debug, Serialize, Deserialize)]
pub enum Told {
    /// Rows.
    Rows(Vec<Vec<Cell>>),
    /// An error.
    Error(i32, String),
}

/// A value on its way.
#[derive(Debug, Serialize, Deserialize)]
pub enum Cell {
    Null,
    Integer(i64),
    /// Its bits.
    Real(u64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl From<Outcome> for Told {
    fn from(outcome: Outcome) -> Self {
        let cell = |value| match value {
            Value::Null => Cell::Null,
            Value::Integer(number) => Cell::Integer(number),
            Value::Real(number) => Cell::Real(number.to_bits()),
            Value::Text(bytes) => Cell::Text(bytes),
            Value::Blob(bytes) => Cell::Blob(bytes),
        };
        match outcome {
            Outcome::Rows(rows) => Told::Rows(
                rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect(),
            ),
            Outcome::Error { code, message } => Told::Error(code, message),
        }
    }
}

impl From<Told> for Outcome {
    fn from(told: Told) -> Self {
        let value = |cell| match cell {
            Cell::Null => Value::Null,
            Cell::Integer(number) => Value::Integer(number),
            Cell::Real(bits) => Value::Real(f64::from_bits(bits)),
            Cell::Text(bytes) => Value::Text(bytes),
            Cell::Blob(bytes) => Value::Blob(bytes),
        };
        match told {
            Told::Rows(rows) => Outcome::Rows(
                rows.into_iter().map(|row| row.into_iter().map(value).collect()).collect(),
            ),
            Told::Error(code, message) => Outcome::Error { code, message },
        }
    }
}

/// A message as bytes.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(message).unwrap_or_default()
}

/// A message from bytes.
pub fn decode<'b, M: Deserialize<'b>>(bytes: &'b [u8]) -> std::io::Result<M> {
    postcard::from_bytes(bytes).map_err(|error| {
        let what = format!("a message that makes no sense: {error}");
        std::io::Error::new(std::io::ErrorKind::InvalidData, what)
    })
}
