//! An engine on which given pairs are looked into.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use metacov_campaign::{CaseRunner, TestPlan, WorkerConfig, WorkerOptions, measure};
use metacov_core::{Case, Functions, Language, Renumbering, SiteTable};
use metacov_exec::{Flavour, Target};
use metacov_formats::{Fault, Scope};
use metacov_run::{SharedTable, StopReason};
use metacov_study::locate::{Frequency, Passing, Symptom, Unfit, explore};

use super::target;
use super::target_args::interrupted;
use super::workers;

/// Which engine, and how it is run.
pub struct Stage {
    target: &'static dyn Target,
    config: WorkerConfig,
    workers: NonZero<usize>,
    interrupted: std::sync::Arc<AtomicBool>,
}

impl Stage {
    pub fn new(
        engine: &str,
        library: Option<&Path>,
        jobs: Option<NonZero<usize>>,
    ) -> anyhow::Result<Self> {
        let scope = Scope::default();
        let (target, config) = target::list().config(engine, library, Flavour::Exact, &scope)?;
        Ok(Stage { target, config, workers: workers(jobs), interrupted: interrupted()? })
    }

    pub fn options(&self) -> WorkerOptions<'_> {
        let workers = self.workers;
        WorkerOptions {
            workers,
            ..WorkerOptions::new(self.target, &self.config, &self.interrupted)
        }
    }

    /// The language of its inputs.
    pub fn language(&self) -> &'static dyn Language {
        self.target.method().language()
    }
}

/// An engine, and what passing pairs run on it.
pub struct LocateRun<'c> {
    runner: CaseRunner<'c>,
    language: &'static dyn Language,
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
        options: &'c WorkerOptions<'c>,
        pairs: u64,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let relations = (0..options.target.method().relations().len()).collect();
        let plan = TestPlan { seed, relations, pairs, subjects: pairs };
        let passing = Passing::default();
        let measured = measure(&plan, options, SharedTable::default(), &passing);
        let (suite, _) = measured.map_err(StopReason::into_error)?;
        LocateRun::with(options, suite.table, passing.into_frequency())
    }

    /// With passing pairs that ran what is told in the numbers of `table`.
    pub fn with(
        options: &'c WorkerOptions<'c>,
        mut table: SiteTable,
        passing: Frequency,
    ) -> anyhow::Result<Self> {
        let name = options.config.library.display().to_string();
        let runner = CaseRunner::new(options).map_err(|error| Fault::Io(error).of(name.clone()))?;
        let numbers = table.absorb(runner.table()).map_err(|mismatch| {
            Fault::OtherBuild { earlier: "the passing pairs".to_owned(), mismatch }.of(name)
        })?;
        let functions = Functions::of(&table);
        let coverage = options.config.coverage.as_ref();
        let folder = coverage.map(|coverage| coverage.notes.clone()).unwrap_or_default();
        let language = options.target.method().language();
        Ok(LocateRun { runner, language, numbers, table, functions, passing, folder })
    }

    /// Runs a pair, and so many that are nearly the same.
    pub fn explore(
        &mut self,
        case: &Case,
        variants: usize,
    ) -> anyhow::Result<Result<Symptom, Unfit>> {
        let LocateRun { runner, numbers, language, .. } = self;
        Ok(explore(case, *language, variants, numbers, |batches| runner.run(batches))?)
    }
}
