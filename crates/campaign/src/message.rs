//! What metacov and its workers say to each other.

use std::path::PathBuf;

use metacov_core::{Exit, Failure, Missing, Outcome, Value};
use serde::{Deserialize, Serialize};

use crate::trial::{Attempt, Trial};

/// What is measured, and how it is named.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setting {
    /// The library.
    pub library: PathBuf,
    /// The folder of its notes.
    pub notes: PathBuf,
    /// Paths that start with the first start with the second instead.
    pub prefix_map: Vec<(String, String)>,
    /// Patterns of paths: only these, and not those.
    pub filter: Vec<String>,
    /// Patterns of paths that do not count.
    pub exclude: Vec<String>,
    /// Whether blocks are counted too.
    pub blocks: bool,
    /// What a statement may do, in operations of SQLite's machine.
    pub operations_max: u64,
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
}

/// What is asked of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// To run tests.
    Run(Job),
    /// To write them down.
    Write(Job),
    /// To run given statements.
    Try(Trial),
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
    /// First of all: how the counters lie, how many sites that makes, and the build.
    Ready {
        /// How they lie, and how many bytes they are.
        layouts: Vec<(Vec<u8>, usize)>,
        sites: usize,
        build: u64,
    },
    /// The database is there: what built it, and how many of the statements worked.
    Built { setup: Vec<String>, worked: u64 },
    /// A test is next, and the statements of both its sides. If nothing follows, it is the one that
    /// ended the worker.
    Next { relation: usize, number: u64, sides: [Vec<String>; 2] },
    /// What came of it.
    Tested(Tested),
    /// The test, or the making of the database if there was none yet, has ended the process that
    /// it ran in.
    Lost(Lost),
    /// What was asked for, written down.
    Written(Script),
    /// What came of given statements.
    Tried(Attempt),
    /// The job is done.
    Done,
    /// It cannot be done.
    Failed(String),
}

/// What came of a test.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tested {
    /// How long it took.
    pub micros: u64,
    /// What it measured, or which side has nothing to tell and why.
    pub outcome: Result<Measured, (usize, Lost)>,
}

/// What the sides of a test ran, the setup included.
#[derive(Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Each side as bytes; the second as what it differs in from the first.
    pub sides: [Vec<u8>; 2],
    /// How the relation is violated, if it is.
    pub violated: Option<String>,
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
