//! Messages between metacov and its workers.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use metacov_core::{
    BranchNaming, Cover, Criteria, Input, Judge, Missing, Pair, Reading, SiteTable, SuccessRates,
    TableData, Verdict, codec,
};
use metacov_exec::{Artifact, Flavour, HelperPort, Target};
use metacov_formats::{Error, Fault, NotesSearch, Scope};
use regex::Regex;
use serde::{Deserialize, Serialize};

use super::cases::{CaseBatch, CaseOutcomes};
use super::mutants::{MutantTask, MutatedTest};
use crate::fuzz::{Changed, Knowledge, KnowledgeDelta, Round, RoundBatch};
use crate::timing::PhaseTimes;

/// What to test, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkerConfig {
    /// The name of the target.
    pub target: String,
    /// The library.
    pub library: PathBuf,
    /// The most steps that a statement may take, as the target counts them.
    pub steps_max: u64,
    /// The longest time that an input may take, for targets that limit it. Set when a worker starts.
    pub time_max: Duration,
    /// What the user has chosen for the target.
    pub options: TargetOptions,
    /// All targets that run each input: name and file, this one first. Empty if there are no others.
    pub compared: Vec<(String, PathBuf)>,
    /// Which code counts; none if coverage is not measured.
    pub coverage: Option<Coverage>,
}

/// What a user may choose for a target, besides its name and library.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetOptions {
    /// Arguments for a target that is a program.
    pub arguments: Option<Vec<String>>,
    /// A folder of inputs that tests are derived from.
    pub seeds: Option<PathBuf>,
}

impl TargetOptions {
    /// Returns the options that were given, by name, as settings of a run.
    pub(crate) fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let arguments = self.arguments.as_ref().map(|words| ("--command", words.join(" ")));
        let seeds = self.seeds.as_ref().map(|seeds| ("--seeds", seeds.display().to_string()));
        arguments.into_iter().chain(seeds)
    }
}

/// The most steps that a statement may take, as the target counts them.
const STEPS_MAX: u64 = 200_000;

/// Paths of headers of the system. Their inline functions are no code of the target.
const SYSTEM_HEADERS: &str = "usr/(local/)?(include|lib)/.*";

impl WorkerConfig {
    /// Configures a library of an artifact; none if the artifact lacks it.
    pub fn of_artifact(
        target: &dyn Target,
        artifact: &Artifact,
        flavour: Flavour,
        scope: &Scope,
    ) -> Option<Self> {
        let (library, notes) = (artifact.library(flavour)?.to_owned(), artifact.folder.clone());
        let mut config = Self::of_files(target, library, notes, flavour, scope);
        if let Some(coverage) = &mut config.coverage {
            coverage.prefix_map.push((artifact.compiled_in.clone(), "/".to_owned()));
            coverage.exclude.push(SYSTEM_HEADERS.to_owned());
            coverage.has_own_notes = true;
        }
        Some(config)
    }

    /// Configures a library of the user, whose notes are beside it unless the scope says otherwise.
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
            notes_cache: scope.notes_cache.clone(),
        });
        let target = target.name().to_owned();
        let options = TargetOptions::default();
        let time_max = Duration::MAX;
        let (steps_max, compared) = (STEPS_MAX, Vec::new());
        WorkerConfig { target, library, steps_max, time_max, options, compared, coverage }
    }
}

/// Which code counts, and how it is named.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Coverage {
    /// The folder of the library's notes.
    pub notes: PathBuf,
    /// Whether the notes are only there.
    pub has_own_notes: bool,
    /// Replaces prefixes of paths: the first by the second.
    pub prefix_map: Vec<(String, String)>,
    /// Patterns of paths that count; if there are none, all do.
    pub filter: Vec<String>,
    /// Patterns of paths that do not count.
    pub exclude: Vec<String>,
    /// Whether blocks are counted too.
    pub blocks: bool,
    /// The folder of compiled notes, if any.
    pub notes_cache: Option<PathBuf>,
}

impl Coverage {
    /// The scope. It is the same in a worker and in metacov, so that both number sites alike.
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
            notes_cache: self.notes_cache.clone(),
            ..Scope::default()
        })
    }
}

/// A state, and the tests to run on it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestBatch {
    /// The seed of the run.
    pub seed: u64,
    /// The number of the state.
    pub subject: u64,
    /// By relation, as its position in the method's table, and number.
    pub tests: Vec<(usize, u64)>,
    /// Whether each step is announced before it runs, to find the one that crashes the worker.
    pub is_cautious: bool,
}

/// A request to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// Run tests.
    Run(TestBatch),
    /// Return tests as text.
    Write(TestBatch),
    /// Run given cases.
    RunCases(CaseBatch),
    /// Run a test with each mutant that it reaches.
    Mutate(Box<MutantTask>),
    /// Know this about a campaign, and nothing else.
    Know(Box<Knowledge>),
    /// Learn what the next rounds have added.
    Learn(Vec<KnowledgeDelta>),
    /// Run a round of a campaign.
    Explore(Box<Round>),
}

/// A state and the tests on it, as text.
#[derive(Debug, Serialize, Deserialize)]
pub struct Script {
    /// The statements that build the state, including those that fail.
    pub setup: Vec<String>,
    /// The inputs of each side, in the order of the batch.
    pub tests: Vec<Pair<Vec<Input>>>,
}

/// An answer of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The first answer: what it measures, if it does. The table of its sites follows in the message.
    Ready(Option<Box<SitesData>>),
    /// The knowledge was stored.
    Learned,
    /// The state was created.
    Built(SetupDone),
    /// If cautious: this setup statement runs next.
    Step(String),
    /// If cautious: a test with these inputs runs next.
    Next(Pair<Vec<Input>>),
    /// If cautious: this side of the test runs next.
    Side(usize),
    /// The results of the next tests, in the order of the batch.
    Tested(Vec<TestResult>),
    /// The results of the next pairs of a round.
    Explored(Box<RoundBatch>),
    /// The state was changed.
    Changed(Changed),
    /// The process that made the state, or ran tests on it, has ended.
    Lost(Missing),
    /// The requested tests as text.
    Written(Script),
    /// The results of given cases.
    RanCases(CaseOutcomes),
    /// What became of the mutants of a test.
    Mutated(MutatedTest),
    /// The batch is complete; where the time went.
    Done(PhaseTimes),
    /// The request failed, for this reason.
    Failed(String),
}

/// All sites of a library, except for their table. Of several workers, which have the same sites, only the table
/// of the first is decoded.
#[derive(Debug, Serialize, Deserialize)]
pub struct SitesData {
    /// A hash of the build.
    pub build: u64,
    known: Vec<u8>,
    criteria: Criteria,
    naming: BranchNaming,
}

/// The first message of a worker that measures: a table, all sites of which a reading lists.
pub(crate) fn ready(table: &SiteTable, reading: &Reading) -> Vec<u8> {
    let sites = SitesData {
        build: table.build_id().number(),
        known: codec::encode(&reading.known),
        criteria: reading.criteria,
        naming: reading.naming,
    };
    let message = encode(&Answer::Ready(Some(Box::new(sites))));
    // Appended, not nested: a table takes tens of megabytes.
    encode_after(message, &TableData::from(table))
}

impl SitesData {
    /// Decodes the table, and a reading that lists all its sites, none of which ran.
    pub(crate) fn with_table(self, table: &[u8]) -> io::Result<(SiteTable, Reading)> {
        let table = SiteTable::try_from(decode::<TableData<'_>>(table)?);
        let table = table.map_err(io::Error::other)?;
        let mut known = Cover::of(&table);
        codec::flip(&self.known, table.len(), &mut known).map_err(io::Error::other)?;
        let (criteria, naming) = (self.criteria, self.naming);
        let universe = Reading { known, criteria, naming, ..Reading::of(&table) };
        Ok((table, universe))
    }
}

/// A state that was created.
#[derive(Debug, Serialize, Deserialize)]
pub struct SetupDone {
    /// The statements of the setup, including those that failed.
    pub setup: Vec<String>,
    /// By kind of statement: how many there were, and how many worked.
    pub kinds: Vec<(String, u64, u64)>,
    /// The encoded cover of the setup, if measured.
    pub executed: Vec<u8>,
}

impl SetupDone {
    pub(crate) fn of(setup: Vec<String>, successes: SuccessRates, executed: &Cover) -> Self {
        let kinds = successes.by_kind.into_iter();
        let kinds = kinds.map(|(kind, success)| (kind, success.tried, success.worked)).collect();
        SetupDone { setup, kinds, executed: codec::encode(executed) }
    }
}

/// The result of a test.
#[derive(Debug, Serialize, Deserialize)]
pub struct TestResult {
    /// How long it took, in microseconds.
    pub micros: u64,
    /// The inputs of its sides, if they may be shown.
    pub sides: Option<Pair<Vec<Input>>>,
    /// Whether each side succeeded.
    pub worked: [bool; 2],
    /// What the outcomes mean.
    pub verdict: Verdict,
    /// The judge that compared the outcomes.
    pub judge: Option<Judge>,
    /// If measured, the encoded covers of the sides, including the setup: the first as its
    /// difference from the setup, the second as its difference from the first.
    pub covers: Option<[Vec<u8>; 2]>,
}

/// A worker's end of the connection.
pub(crate) trait Port {
    /// Reads the next request; none if metacov has closed the connection.
    fn hear(&mut self) -> io::Result<Option<Vec<u8>>>;
    /// Sends a message.
    fn send(&mut self, message: Vec<u8>) -> io::Result<()>;

    /// Reports an answer.
    fn report(&mut self, answer: &Answer) -> io::Result<()> {
        self.send(encode(answer))
    }
}

impl Port for HelperPort {
    fn hear(&mut self) -> io::Result<Option<Vec<u8>>> {
        HelperPort::hear(self)
    }

    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        self.say(&message)
    }
}

/// Encodes a message.
///
/// # Panics
/// If a message has a type that postcard cannot write, such as a list of unknown length. None has.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    encode_after(Vec::new(), message)
}

/// Appends an encoded message. Panics as [`encode`] does.
fn encode_after(before: Vec<u8>, message: &impl Serialize) -> Vec<u8> {
    postcard::to_extend(message, before).expect("all messages are of types that postcard can write")
}

/// Decodes a message.
pub fn decode<'b, M: Deserialize<'b>>(bytes: &'b [u8]) -> io::Result<M> {
    decode_before(bytes).map(|(message, _)| message)
}

/// Decodes a message, and returns what follows it.
pub(crate) fn decode_before<'b, M: Deserialize<'b>>(bytes: &'b [u8]) -> io::Result<(M, &'b [u8])> {
    postcard::take_from_bytes(bytes).map_err(|error| {
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
    fn an_invalid_pattern_is_an_error() {
        let coverage = |filter: &str| Coverage {
            notes: PathBuf::new(),
            has_own_notes: false,
            prefix_map: Vec::new(),
            filter: vec![filter.to_owned()],
            exclude: Vec::new(),
            blocks: false,
            notes_cache: None,
        };
        assert_eq!(coverage("a.*").scope().unwrap().filter.len(), 1);
        assert!(coverage("a(").scope().is_err());
    }

    /// A worker that exits with code 3 was not killed by signal 3.
    #[test]
    fn exit_codes_and_signals_survive_encode_and_decode() {
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
    fn values_survive_encode_and_decode_bit_for_bit() {
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
