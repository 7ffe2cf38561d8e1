//! What metacov and its workers say to each other.

use std::io;
use std::path::PathBuf;

use metacov_core::Missing;
use metacov_formats::Scope;
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::experiment::{Attempt, CaseBatch};
use crate::fuzz::{Changed, Round, RoundBatch};
use crate::time::PhaseTimes;

/// What is tested, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkerConfig {
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
    pub(crate) fn scope(&self) -> io::Result<Scope> {
        let patterns = |texts: &[String]| {
            let patterns = texts.iter().map(|text| Regex::new(text));
            patterns.collect::<Result<_, _>>().map_err(io::Error::other)
        };
        Ok(Scope {
            root: PathBuf::from("/"),
            prefix_map: self.prefix_map.clone(),
            filter: patterns(&self.filter)?,
            exclude: patterns(&self.exclude)?,
            blocks: self.blocks,
            notes: Some(self.notes.clone()),
            ..Scope::default()
        })
    }
}

/// A database, and the tests on it that are wanted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestBatch {
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
    Run(TestBatch),
    /// To write them down.
    Write(TestBatch),
    /// To run given statements.
    Try(CaseBatch),
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
    SetupDone(SetupDone),
    /// If it is cautious: a statement that makes or changes the database is next.
    Step(String),
    /// If it is cautious: a test is next, with the statements of its sides.
    Next([Vec<String>; 2]),
    /// If it is cautious: a side of it is next.
    Side(usize),
    /// What came of the next tests, in the order of the job.
    TestResult(Vec<TestResult>),
    /// What came of the next pairs of a round.
    Explored(Box<RoundBatch>),
    /// The database was changed.
    Changed(Changed),
    /// The process that made the database, or ran tests on it, has ended.
    Lost(Missing),
    /// What was asked for, written down.
    Written(Script),
    /// What came of an experiment.
    CaseResult(Attempt),
    /// The job is done; where the time went.
    Done(PhaseTimes),
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
pub struct SetupDone {
    /// What made it; some of it failed, and is part of it.
    pub setup: Vec<String>,
    /// By kind of statement: how many there were, and how many of them worked.
    pub kinds: Vec<(String, u64, u64)>,
    /// What making it ran, as bytes, if that is measured.
    pub executed: Vec<u8>,
}

/// What came of a test.
#[derive(Debug, Serialize, Deserialize)]
pub struct TestResult {
    /// How long it took.
    pub micros: u64,
    /// The statements of its sides, if somebody may want to see them.
    pub statements: Option<[Vec<String>; 2]>,
    /// Whether each side came to a result.
    pub worked: [bool; 2],
    /// What it showed, or which side has nothing to tell and why.
    pub outcome: Result<Judged, (usize, Missing)>,
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

/// A message as bytes.
///
/// # Panics
/// If a message is of a type that postcard cannot write, such as a list that does not know its
/// length: none of ours is.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(message).expect("all messages are of types that postcard can write")
}

/// A message from bytes.
pub fn decode<'b, M: Deserialize<'b>>(bytes: &'b [u8]) -> io::Result<M> {
    postcard::from_bytes(bytes).map_err(|error| {
        let what = format!("unexpected message: {error}");
        io::Error::new(io::ErrorKind::InvalidData, what)
    })
}

#[cfg(test)]
mod tests {
    use metacov_core::{Exit, Failure, Outcome, Value};

    use super::*;

    fn returned<M: Serialize + for<'b> Deserialize<'b>>(message: &M) -> M {
        decode(&encode(message)).unwrap()
    }

    #[test]
    fn a_pattern_that_is_none_is_an_error() {
        let coverage = |filter: &str| Coverage {
            notes: PathBuf::new(),
            prefix_map: Vec::new(),
            filter: vec![filter.to_owned()],
            exclude: Vec::new(),
            blocks: false,
        };
        assert_eq!(coverage("a.*").scope().unwrap().filter.len(), 1);
        assert!(coverage("a(").scope().is_err());
    }

    /// A worker that exits with code 3 was not killed by signal 3.
    #[test]
    fn how_a_side_ended_arrives_as_it_was() {
        let exits = [Exit::Success, Exit::Failure(3), Exit::Signalled(11), Exit::Timeout];
        for failure in Failure::ALL {
            for exit in exits {
                let missing = Missing { failure, exit, output_tail: "words".to_owned() };
                let Answer::Lost(arrived) = returned(&Answer::Lost(missing.clone())) else {
                    panic!("another answer");
                };
                assert_eq!(arrived, missing);
            }
        }
    }

    #[test]
    fn values_arrive_to_the_bit() {
        let nan = f64::from_bits(0x7ff8_0000_0000_0001);
        let values = [Value::Null, Value::Real(-0.0), Value::Real(nan), Value::Text(vec![0xff])];
        let Outcome::Rows(rows) = returned(&Outcome::Rows(vec![values.to_vec()])) else {
            panic!("no rows");
        };
        let bits = |value: &Value| match value {
            Value::Real(number) => number.to_bits().to_string(),
            value => format!("{value:?}"),
        };
        let all = |values: &[Value]| values.iter().map(bits).collect::<Vec<_>>();
        assert_eq!(all(&rows[0]), all(&values));
    }
}
