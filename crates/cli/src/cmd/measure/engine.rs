//! `metacov measure sqlite`: measures generated tests.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use metacov_campaign::{
    CampaignError, Phase, RunLog, TestPlan, WorkerConfig, WorkerOptions, measure,
    relation_positions,
};
use metacov_core::{Criterion, Operation, Suite};
use metacov_exec::{Flavour, Limits, Target, code_files};
use metacov_run::SharedTable;
use metacov_store::{Provenance, Settings};
use metacov_study::ALL;

use super::whole;
use crate::args::count::positive;
use crate::cmd::{RunSettings, target};
use crate::console::Console;
use crate::console::progress::Progress;
use crate::exit_code::ExitCode;

#[derive(clap::Args)]
#[command(next_help_heading = "Generated pairs (TARGET)")]
pub struct EngineArgs {
    #[command(flatten)]
    pub relations: RelationArgs,
    /// Number of pairs of each relation [default: 100].
    #[arg(long, value_name = "N", value_parser = positive::<NonZero<u64>>)]
    pub count: Option<NonZero<u64>>,
    /// Number of databases that the pairs run on [default: 10].
    ///
    /// For targets that are no database, a database stands for any state of the target.
    #[arg(long, value_name = "N", value_parser = positive::<NonZero<u64>>, hide_short_help = true)]
    databases: Option<NonZero<u64>>,
    /// Random seed: the same seed gives the same pairs [default: 1].
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Use this build of the target: a library compiled with `metacov cc -shared`.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub library: Option<PathBuf>,
}

/// Relations, in the words of users.
#[derive(clap::Args)]
pub struct RelationArgs {
    /// Relations to test [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    relation: Vec<String>,
}

impl RelationArgs {
    /// The names; `all` if none was given.
    pub fn names(&self) -> Vec<String> {
        match &*self.relation {
            [] => vec![ALL.to_owned()],
            names => names.to_vec(),
        }
    }
}

impl EngineArgs {
    /// An option that was given and means nothing for a command.
    pub fn only_for_targets(&self) -> Option<&'static str> {
        let given = [
            (self.databases.is_some(), "--databases"),
            (self.seed.is_some(), "--seed"),
            (self.library.is_some(), "--library"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }

    fn databases(&self) -> u64 {
        self.databases.map_or(10, NonZero::get)
    }

    fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Returns the settings that a run must share with one that it resumes.
    pub fn settings(&self, engine: &str, pairs: u64) -> Settings {
        let library = self.library.as_ref().map(|path| path.display().to_string());
        let settings = [
            ("the engine", engine.to_owned()),
            ("--relation", self.relations.names().join(",")),
            ("--count", pairs.to_string()),
            ("--databases", self.databases().to_string()),
            ("--seed", self.seed().to_string()),
            ("--library", library.unwrap_or_default()),
        ];
        settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Returns the tests: `pairs` of each relation.
    pub fn plan(&self, target: &dyn Target, pairs: u64) -> anyhow::Result<TestPlan> {
        let (seed, subjects) = (self.seed(), self.databases().min(pairs));
        let relations = relation_positions(&self.relations.names(), target)?;
        Ok(TestPlan { seed, relations, pairs, subjects })
    }
}

/// Tests of an engine, and what to show.
pub struct Sql {
    pub engine: String,
    pub args: EngineArgs,
    pub pairs: u64,
    pub limits: Limits,
    pub frame: RunSettings,
    pub interrupted: Arc<AtomicBool>,
}

impl Sql {
    /// Measures without showing the result. None if it was interrupted.
    pub fn suite(self, console: &Console) -> anyhow::Result<Option<Suite>> {
        let (target, config) = self.config(Flavour::Counting)?;
        let plan = self.args.plan(target, self.pairs)?;
        let options = self.options(target, &config);
        let progress = Progress::new(console, plan.groups(), 0, Operation::Xor);
        let measured = measure(&plan, &options, SharedTable::default(), &progress);
        progress.finish(false);
        Ok(whole(measured?.0, plan.groups()))
    }

    pub fn run(mut self, console: &Console) -> anyhow::Result<ExitCode> {
        let frame = &mut self.frame;
        frame.options.scope.blocks = frame.presentation.asks_for(Criterion::Block);
        let (target, config) = self.config(Flavour::Counting)?;
        let plan = self.args.plan(target, self.pairs)?;
        let provenance = Provenance::here(code_files(Some(&config.library), &[]));
        self.frame.provenance =
            Provenance { seed: Some(self.args.seed().to_string()), ..provenance };
        let Sql { limits, frame, interrupted, .. } = self;
        let workers = frame.options.workers;
        let options = worker_options(target, &config, workers, limits, &interrupted);
        let mut log = RunLog::default();
        let code = frame.run(plan.groups(), console, |table, observer| {
            let (suite, of_run) = measure(&plan, &options, table, observer)?;
            log = of_run;
            Ok::<_, CampaignError>(suite)
        })?;
        tell(&log, console);
        Ok(code)
    }

    /// Returns the target and the library to test.
    pub fn config(&self, flavour: Flavour) -> anyhow::Result<(&'static dyn Target, WorkerConfig)> {
        let scope = &self.frame.options.scope;
        Ok(target::list().config(&self.engine, self.args.library.as_deref(), flavour, scope)?)
    }

    /// Returns the options of its workers.
    pub fn options<'o>(
        &'o self,
        target: &'static dyn Target,
        config: &'o WorkerConfig,
    ) -> WorkerOptions<'o> {
        let workers = self.frame.options.workers;
        worker_options(target, config, workers, self.limits, &self.interrupted)
    }
}

fn worker_options<'o>(
    target: &'static dyn Target,
    config: &'o WorkerConfig,
    workers: NonZero<usize>,
    limits: Limits,
    interrupted: &'o AtomicBool,
) -> WorkerOptions<'o> {
    let Limits { wall: timeout, memory_bytes, .. } = limits;
    let options = WorkerOptions::new(target, config, interrupted);
    WorkerOptions { workers, timeout, memory_bytes, ..options }
}

/// Reports how many generated statements worked, and where the time went.
pub fn tell(log: &RunLog, console: &Console) {
    for (kind, success) in &log.successes.by_kind {
        console.detail(|| format!("{kind}: {} of {} worked", success.worked, success.tried));
    }
    let all: f64 = Phase::ALL.iter().map(|(phase, _)| log.times.on(*phase).as_secs_f64()).sum();
    for (phase, name) in Phase::ALL {
        let seconds = log.times.on(phase).as_secs_f64();
        console.detail(|| format!("{name}: {seconds:.2} s, {:.1} %", 100.0 * seconds / all));
    }
}
