//! A suite to measure: pairs of the user on a program, or pairs that are generated for a target.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use metacov_core::{Setup, Suite};
use metacov_exec::{Flavour, Invocation, Limits, Mode, Program, Target, code_files};
use metacov_formats::{PairList, Scope};
use metacov_run::{
    FoldOptions, Judges, Observer, ProgramRuns, ProgramSuite, RunError, SharedTable, fold,
};
use metacov_store::{Provenance, Settings};

use crate::measure::measure;
use crate::plan::TestPlan;
use crate::target_list::{TargetList, relation_positions};
use crate::worker::batches::RunLog;
use crate::worker::host::WorkerOptions;
use crate::worker::protocol::{TargetOptions, WorkerConfig};

/// The options of a suite, whatever its pairs are.
pub struct SuiteOptions {
    /// Which code counts, and how many workers there are.
    pub fold: FoldOptions,
    /// The limits of an execution.
    pub limits: Limits,
    /// The relations, or `all`.
    pub relations: Vec<String>,
    /// Set to end all executions.
    pub interrupted: Arc<AtomicBool>,
    /// How a program is executed, unless it is as its kind is by default.
    pub mode: Option<Mode>,
    /// What precedes every input of a program.
    pub setup: Option<Arc<Setup>>,
    /// The exit codes of valid executions of a program; all codes if empty.
    pub valid_codes: Vec<i32>,
    /// How often a program runs each input.
    pub repeat: NonZero<u32>,
    /// How the outputs of a program are judged.
    pub judges: Judges,
    /// A library of the user, in place of a target's.
    pub library: Option<PathBuf>,
    /// What else the user has chosen for a target.
    pub target: TargetOptions,
}

/// A suite to measure.
pub struct SuiteConfig {
    /// Which code counts, and how many workers there are.
    pub fold: FoldOptions,
    /// What is run.
    pub pairs: SuitePairs,
}

impl SuiteConfig {
    /// Returns the settings that a run must share with one that it resumes.
    pub fn settings(&self) -> Settings {
        match &self.pairs {
            SuitePairs::Given(suite) => suite.settings(),
            SuitePairs::Generated(suite) => suite.settings(),
        }
    }
}

/// The pairs of a suite.
pub enum SuitePairs {
    /// Those of the user.
    Given(ProgramSuite),
    /// Generated ones.
    Generated(GeneratedSuite),
}

/// Pairs that are generated for a target.
pub struct GeneratedSuite {
    /// The name of the target, such as `sqlite@3.29.0`.
    pub engine: String,
    /// A library of the user to test instead.
    pub library: Option<PathBuf>,
    /// What else the user has chosen for the target.
    pub target: TargetOptions,
    /// The relations, or `all`.
    pub relations: Vec<String>,
    /// How many pairs of each relation.
    pub pairs: u64,
    /// How many databases they are distributed over.
    pub databases: u64,
    /// The seed of databases and pairs.
    pub seed: u64,
    /// The limits of a worker.
    pub limits: Limits,
    /// Set to end all workers.
    pub interrupted: Arc<AtomicBool>,
}

impl SuiteOptions {
    /// A suite of these pairs, on a program.
    pub fn given(
        self,
        command: Vec<OsString>,
        pairs: PathBuf,
        pair: Option<String>,
    ) -> Result<SuiteConfig, RunError> {
        let mut target = Program::new(command, self.limits, self.interrupted);
        target.mode = self.mode.unwrap_or(target.mode);
        target.setup = self.setup;
        target.valid_codes = self.valid_codes;
        let runs = ProgramRuns { target, repeat: self.repeat, judges: self.judges };
        let suite = ProgramSuite { runs, pairs, pair, relations: self.relations };
        suite.check()?;
        Ok(SuiteConfig { fold: self.fold, pairs: SuitePairs::Given(suite) })
    }

    /// A suite of generated pairs.
    pub fn generated(self, engine: String, pairs: u64, databases: u64, seed: u64) -> SuiteConfig {
        let SuiteOptions { fold, limits, relations, interrupted, library, target, .. } = self;
        let suite = GeneratedSuite {
            engine,
            library,
            target,
            relations,
            pairs,
            databases,
            seed,
            limits,
            interrupted,
        };
        SuiteConfig { fold, pairs: SuitePairs::Generated(suite) }
    }
}

impl SuiteConfig {
    /// Finds what is run.
    pub fn open(self, targets: &TargetList) -> Result<OpenSuite, RunError> {
        let SuiteConfig { fold, pairs } = self;
        let pairs = match pairs {
            SuitePairs::Given(suite) => {
                let (list, mut runs) = (suite.list()?, suite.runs);
                runs.target.keeps_output = !runs.judges.is_empty() || list.has_judges;
                OpenPairs::Given(runs, list)
            }
            SuitePairs::Generated(suite) => {
                let tests = suite.open(targets, Flavour::Counting, &fold.scope, fold.workers)?;
                OpenPairs::Generated(tests)
            }
        };
        Ok(OpenSuite { fold, pairs })
    }
}

/// A suite that is ready to be measured.
pub struct OpenSuite {
    /// Which code counts, and how many workers there are.
    pub fold: FoldOptions,
    pairs: OpenPairs,
}

enum OpenPairs {
    Given(ProgramRuns, PairList<Vec<Invocation>>),
    Generated(GeneratedTests),
}

impl OpenSuite {
    /// Returns how many groups there are.
    pub fn groups(&self) -> u64 {
        match &self.pairs {
            OpenPairs::Given(_, list) => list.groups,
            OpenPairs::Generated(tests) => tests.plan.groups(),
        }
    }

    /// Returns where its numbers will come from.
    pub fn provenance(&self) -> Provenance {
        match &self.pairs {
            OpenPairs::Given(runs, _) => Provenance::here(runs.target.code_files()),
            OpenPairs::Generated(tests) => Provenance {
                seed: Some(tests.plan.seed.to_string()),
                ..Provenance::here(code_files(Some(&tests.config.library), &[]))
            },
        }
    }

    /// Measures all groups that the observer does not know yet. An interrupt ends it, and the
    /// result is what was folded until then.
    pub fn measure(
        self,
        table: SharedTable,
        observer: &dyn Observer,
    ) -> Result<(Suite, Option<RunLog>), RunError> {
        match self.pairs {
            OpenPairs::Given(runs, list) => {
                Ok((fold(&runs, list, &self.fold, table, observer)?, None))
            }
            OpenPairs::Generated(tests) => {
                let (suite, log) = measure(&tests.plan, &tests.options(), table, observer)?;
                Ok((suite, Some(log)))
            }
        }
    }
}

/// Generated tests, and the library that they are run on.
pub struct GeneratedTests {
    /// The target.
    pub target: &'static dyn Target,
    /// The tests.
    pub plan: TestPlan,
    config: WorkerConfig,
    workers: NonZero<usize>,
    limits: Limits,
    interrupted: Arc<AtomicBool>,
}

impl GeneratedSuite {
    /// Returns the settings that a run must share with one that it resumes.
    pub fn settings(&self) -> Settings {
        let library = self.library.as_ref().map(|path| path.display().to_string());
        let settings = [
            ("the engine", self.engine.clone()),
            ("--relation", self.relations.join(",")),
            ("--count", self.pairs.to_string()),
            ("--databases", self.databases.to_string()),
            ("--seed", self.seed.to_string()),
            ("--library", library.unwrap_or_default()),
        ];
        let settings = settings.into_iter().chain(self.target.settings());
        settings.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Finds the target and the library to test.
    pub fn open(
        self,
        targets: &TargetList,
        flavour: Flavour,
        scope: &Scope,
        workers: NonZero<usize>,
    ) -> Result<GeneratedTests, RunError> {
        let GeneratedSuite { seed, pairs, limits, interrupted, .. } = self;
        let (target, config) =
            targets.config(&self.engine, self.library.as_deref(), flavour, scope)?;
        let config = WorkerConfig { options: self.target, ..config };
        let relations = relation_positions(&self.relations, target)?;
        let plan = TestPlan { seed, relations, pairs, subjects: self.databases.min(pairs) };
        Ok(GeneratedTests { target, plan, config, workers, limits, interrupted })
    }
}

impl GeneratedTests {
    /// Returns the options of the workers.
    pub fn options(&self) -> WorkerOptions<'_> {
        let options = WorkerOptions::new(self.target, &self.config, &self.interrupted);
        let Limits { wall: timeout, memory_bytes, .. } = self.limits;
        WorkerOptions { workers: self.workers, timeout, memory_bytes, ..options }
    }
}
