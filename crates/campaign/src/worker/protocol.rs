//! What metacov and its workers say to each other.

use std::io;
use std::path::{Path, PathBuf};

use metacov_core::{
    BranchNaming, Cover, Criteria, Input, Judge, Missing, Pair, Reading, SiteTable, SuccessRates,
    TableData, Verdict, codec,
};
use metacov_exec::{Artifact, Flavour, HelperPort, Target};
use metacov_formats::{Error, Fault, NotesSearch, Scope};
use regex::Regex;
use serde::{Deserialize, Serialize};

use super::cases::{CaseBatch, CaseOutcomes};
use crate::fuzz::{Changed, Round, RoundBatch};
use crate::timing::PhaseTimes;

/// What is tested, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkerConfig {
    /// The name of the target in the table of all.
    pub target: String,
    /// The library.
    pub library: PathBuf,
    /// What a statement may do, in steps of the target.
    pub steps_max: u64,
    /// Which code counts; none if what runs is not measured.
    pub coverage: Option<Coverage>,
}

/// What a statement may do, in steps of the target.
const STEPS_MAX: u64 = 200_000;

impl WorkerConfig {
    /// A library of an artifact.
    pub fn of_artifact(
        target: &dyn Target,
        artifact: &Artifact,
        flavour: Flavour,
        scope: &Scope,
    ) -> Self {
        let (library, notes) = (artifact.library(flavour).to_owned(), artifact.folder.clone());
        let mut config = Self::of_files(target, library, notes, flavour, scope);
        if let Some(coverage) = &mut config.coverage {
            coverage.prefix_map.push((artifact.compiled_in.clone(), "/".to_owned()));
            coverage.has_own_notes = true;
        }
        config
    }

    /// A library of the user's, whose notes lie beside it unless the scope says otherwise.
    pub fn of_library(
        target: &dyn Target,
        library: &Path,
        flavour: Flavour,
        scope: &Scope,
    ) -> Result<Self, Error> {
        let unreadable = |error| Fault::Io(error).of(library.display().to_string());
        std::fs::metadata(library).map_err(unreadable)?;
        let library = std::path::absolute(library).map_err(unreadable)?;
        let beside = library.parent().map(ToOwned::to_owned).unwrap_or_default();
        let notes = scope.notes.clone().unwrap_or(beside);
        Ok(Self::of_files(target, library, notes, flavour, scope))
    }

    fn of_files(
        target: &dyn Target,
        library: PathBuf,
        notes: PathBuf,
        flavour: Flavour,
        scope: &Scope,
    ) -> Self {
        let texts = |patterns: &[Regex]| patterns.iter().map(ToString::to_string).collect();
        let coverage = (flavour != Flavour::Plain).then(|| Coverage {
            notes,
            has_own_notes: false,
            prefix_map: scope.prefix_map.clone(),
            filter: texts(&scope.filter),
            exclude: texts(&scope.exclude),
            blocks: scope.blocks,
        });
        let target = target.name().to_owned();
        WorkerConfig { target, library, steps_max: STEPS_MAX, coverage }
    }
}

/// Which code counts, and how it is named.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Coverage {
    /// The folder of the library's notes.
    pub notes: PathBuf,
    /// Whether they are there and nowhere else.
    pub has_own_notes: bool,
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
            notes_search: if self.has_own_notes {
                NotesSearch::FolderOnly
            } else {
                NotesSearch::CountersFirst
            },
            ..Scope::default()
        })
    }
}

/// A state, and the tests on it that are wanted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestBatch {
    /// The seed of the run.
    pub seed: u64,
    /// The number of the state.
    pub subject: u64,
    /// By relation, as its position in the method's table, and number.
    pub tests: Vec<(usize, u64)>,
    /// Whether each step is announced before it is taken, because one of them ends the worker.
    pub is_cautious: bool,
}

/// What is asked of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// To run tests.
    Run(TestBatch),
    /// To write them down.
    Write(TestBatch),
    /// To run given cases.
    RunCases(CaseBatch),
    /// To go through a round of a campaign.
    Explore(Box<Round>),
}

/// A state and the tests on it, written down.
#[derive(Debug, Serialize, Deserialize)]
pub struct Script {
    /// What builds the state; some of it fails, and is part of it.
    pub setup: Vec<String>,
    /// In the order of the batch: the inputs of each side.
    pub tests: Vec<Pair<Vec<Input>>>,
}

/// What a worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// First of all: the sites that it counts, if it does.
    Ready(Option<Box<SitesData>>),
    /// The state is there.
    Built(SetupDone),
    /// If it is cautious: a statement that makes or changes the state is next.
    Step(String),
    /// If it is cautious: a test is next, with the inputs of its sides.
    Next(Pair<Vec<Input>>),
    /// If it is cautious: a side of it is next.
    Side(usize),
    /// What came of the next tests, in the order of the batch.
    Tested(Vec<TestResult>),
    /// What came of the next pairs of a round.
    Explored(Box<RoundBatch>),
    /// The state was changed.
    Changed(Changed),
    /// The process that made the state, or ran tests on it, has ended.
    Lost(Missing),
    /// What was asked for, written down.
    Written(Script),
    /// What came of given cases.
    RanCases(CaseOutcomes),
    /// The batch is done; where the time went.
    Done(PhaseTimes),
    /// It cannot be done.
    Failed(String),
}

/// All sites of a library.
#[derive(Debug, Serialize, Deserialize)]
pub struct SitesData {
    /// The build, as a number.
    pub build: u64,
    table: TableData,
    known: Vec<u8>,
    criteria: Criteria,
    naming: BranchNaming,
}

impl SitesData {
    /// Those of a table, all of which a reading names.
    pub(crate) fn of(table: &SiteTable, reading: &Reading) -> Self {
        SitesData {
            build: table.build_id().number(),
            table: table.into(),
            known: codec::encode(&reading.known),
            criteria: reading.criteria,
            naming: reading.naming,
        }
    }

    /// The table, and a reading that names all its sites, none of which ran.
    pub(crate) fn table(self) -> Result<(SiteTable, Reading), &'static str> {
        let table = SiteTable::try_from(self.table)?;
        let mut known = Cover::of(&table);
        codec::flip(&self.known, table.len(), &mut known)?;
        let (criteria, naming) = (self.criteria, self.naming);
        let universe = Reading { known, criteria, naming, ..Reading::of(&table) };
        Ok((table, universe))
    }
}

/// A state that was made.
#[derive(Debug, Serialize, Deserialize)]
pub struct SetupDone {
    /// What made it; some of it failed, and is part of it.
    pub setup: Vec<String>,
    /// By kind of statement: how many there were, and how many of them worked.
    pub kinds: Vec<(String, u64, u64)>,
    /// What making it ran, as bytes, if that is measured.
    pub executed: Vec<u8>,
}

impl SetupDone {
    pub(crate) fn of(setup: Vec<String>, successes: SuccessRates, executed: &Cover) -> Self {
        let kinds = successes.by_kind.into_iter();
        let kinds = kinds.map(|(kind, success)| (kind, success.tried, success.worked)).collect();
        SetupDone { setup, kinds, executed: codec::encode(executed) }
    }
}

/// What came of a test.
#[derive(Debug, Serialize, Deserialize)]
pub struct TestResult {
    /// How long it took.
    pub micros: u64,
    /// The inputs of its sides, if they may be shown.
    pub sides: Option<Pair<Vec<Input>>>,
    /// Whether each side came to a result.
    pub worked: [bool; 2],
    /// What the outcomes mean.
    pub verdict: Verdict,
    /// Who judged.
    pub judge: Option<Judge>,
    /// If that is measured: what the sides ran, as bytes; the first as what it adds to the setup,
    /// the second as what it differs in from the first, both with the setup.
    pub covers: Option<[Vec<u8>; 2]>,
}

/// A worker's end of the connection.
pub(crate) trait Port {
    /// The next request; none if metacov has closed the connection.
    fn hear(&mut self) -> io::Result<Option<Vec<u8>>>;
    /// Reports an answer.
    fn report(&mut self, answer: &Answer) -> io::Result<()>;
}

impl Port for HelperPort {
    fn hear(&mut self) -> io::Result<Option<Vec<u8>>> {
        HelperPort::hear(self)
    }

    fn report(&mut self, answer: &Answer) -> io::Result<()> {
        self.say(&encode(answer))
    }
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
            has_own_notes: false,
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
