//! An engine on which given pairs are looked into.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use metacov_campaign::{CaseRunner, Plan, WorkerConfig, WorkerOptions, measure};
use metacov_core::{Functions, Renumbering, SiteTable};
use metacov_formats::{Fault, Scope};
use metacov_relations::ALL;
use metacov_run::{SharedTable, StopReason};
use metacov_study::locate::{Case, Frequency, Passing, Symptom, Unfit, explore};

use super::measure_sql::{Flavour, setting};
use super::target_args::interrupted;
use super::workers;

/// How long a worker may be silent. Statements have a budget of their own; this is for what hangs.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Which engine, and how it is run.
pub struct Stage {
    pub setting: WorkerConfig,
    workers: NonZero<usize>,
    interrupted: std::sync::Arc<AtomicBool>,
}

impl Stage {
    pub fn new(
        engine: &str,
        library: Option<&Path>,
        jobs: Option<NonZero<usize>>,
    ) -> anyhow::Result<Self> {
        let setting = setting(engine, library, Flavour::Coverage, &Scope::default())?;
        Ok(Stage { setting, workers: workers(jobs), interrupted: interrupted()? })
    }

    pub fn conditions(&self) -> WorkerOptions<'_> {
        WorkerOptions {
            setting: &self.setting,
            workers: self.workers,
            timeout: TIMEOUT,
            memory_bytes: None,
            interrupted: &self.interrupted,
        }
    }
}

/// An engine, and what passing pairs run on it.
pub struct LocateRun<'c> {
    laboratory: CaseRunner<'c>,
    numbers: Renumbering,
    pub table: SiteTable,
    pub functions: Functions,
    pub passing: Frequency,
    /// Where the engine's notes are, and mostly its source.
    pub folder: PathBuf,
}

impl<'c> LocateRun<'c> {
    /// With passing pairs that are made for it: so many of each relation, each on a database of its
    /// own.
    pub fn with_generated(
        conditions: &'c WorkerOptions<'c>,
        pairs: u64,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let relations = (0..ALL.len()).collect();
        let plan = Plan { seed, relations, pairs, databases: pairs };
        let passing = Passing::default();
        let measured = measure(&plan, conditions, SharedTable::default(), &passing);
        let (suite, _) = measured.map_err(StopReason::into_error)?;
        LocateRun::with(conditions, suite.table, passing.into_frequency())
    }

    /// With passing pairs that ran what is told in the numbers of `table`.
    pub fn with(
        conditions: &'c WorkerOptions<'c>,
        mut table: SiteTable,
        passing: Frequency,
    ) -> anyhow::Result<Self> {
        let name = conditions.setting.library.display().to_string();
        let laboratory =
            CaseRunner::new(conditions).map_err(|error| Fault::Io(error).of(name.clone()))?;
        let numbers = table.absorb(laboratory.table()).map_err(|mismatch| {
            Fault::OtherBuild { earlier: "the passing pairs".to_owned(), mismatch }.of(name)
        })?;
        let functions = Functions::of(&table);
        let coverage = conditions.setting.coverage.as_ref();
        let folder = coverage.map(|coverage| coverage.notes.clone()).unwrap_or_default();
        Ok(LocateRun { laboratory, numbers, table, functions, passing, folder })
    }

    /// Runs a pair, and so many that are nearly the same.
    pub fn explore(
        &mut self,
        case: &Case,
        variants: usize,
    ) -> anyhow::Result<Result<Symptom, Unfit>> {
        let LocateRun { laboratory, numbers, .. } = self;
        Ok(explore(case, variants, numbers, |trials| laboratory.run(trials))?)
    }
}
