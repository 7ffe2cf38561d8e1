//! `metacov measure sqlite`: tests that are made on the spot, on the SQLite that is inside.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{anyhow, bail};
use metacov_campaign::{Coverage, Phase, Plan, RunLog, WorkerConfig, WorkerOptions, measure};
use metacov_core::{Criterion, Operation, Suite};
use metacov_exec::Limits;
use metacov_formats::Scope;
use metacov_relations::ALL;
use metacov_run::SharedTable;
use metacov_sqlite::{Artifact, LIBRARY, SWIFT};
use metacov_store::Settings;
use regex::Regex;

use super::measure::whole;
use super::{RunSettings, target};
use crate::exit_code::ExitCode;
use crate::progress::Progress;
use crate::talk::Console;

/// What a statement may do, in operations of SQLite's machine.
const OPERATIONS_MAX: u64 = 200_000;

#[derive(clap::Args)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    #[command(flatten)]
    relations: RelationArgs,
    /// How many databases the pairs are spread over.
    #[arg(long, value_name = "N", default_value = "10")]
    databases: u64,
    /// The seed of databases and pairs: the same seed gives the same.
    #[arg(long, value_name = "SEED", default_value = "1")]
    seed: u64,
    /// Another SQLite: a library that is built with `metacov cc -shared`.
    #[arg(long, value_name = "FILE")]
    pub library: Option<PathBuf>,
}

/// Relations, in the words of users.
#[derive(clap::Args)]
pub struct RelationArgs {
    /// The relations to test.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "all")]
    relation: Vec<String>,
}

/// What is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// Whether relations hold, and what runs, exactly.
    Coverage,
    /// Whether relations hold, and what runs, on a library that is optimized.
    Traces,
    /// Only whether they hold.
    Outcomes,
}

impl EngineArgs {
    /// What a run must agree on with one that it goes on with.
    pub fn settings(&self, engine: &str, pairs: u64) -> Settings {
        let library = self.library.as_ref().map(|path| path.display().to_string());
        let settings = [
            ("the engine", engine.to_owned()),
            ("--relation", self.relations.names()),
            ("--pairs", pairs.to_string()),
            ("--databases", self.databases.to_string()),
            ("--seed", self.seed.to_string()),
            ("--library", library.unwrap_or_default()),
        ];
        settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The tests, so many pairs of each relation.
    pub fn plan(&self, pairs: u64) -> anyhow::Result<Plan> {
        if self.databases == 0 || pairs == 0 {
            bail!("at least one database and one pair are needed");
        }
        let (seed, databases) = (self.seed, self.databases.min(pairs));
        Ok(Plan { seed, relations: self.relations.places()?, pairs, databases })
    }
}

impl RelationArgs {
    /// Their names, as they were given.
    pub fn names(&self) -> String {
        self.relation.join(",")
    }

    /// As they stand in the table of all.
    pub fn places(&self) -> anyhow::Result<Vec<usize>> {
        if self.relation.iter().any(|name| name == "all") {
            return Ok((0..ALL.len()).collect());
        }
        let names = || ALL.iter().map(|relation| relation.name());
        let at = |name: &String| {
            let known: Vec<&str> = names().collect();
            let unknown = || anyhow!("`{name}` is not a relation (all, {})", known.join(", "));
            names().position(|known| known == name).ok_or_else(unknown)
        };
        let mut relations = self.relation.iter().map(at).collect::<anyhow::Result<Vec<_>>>()?;
        relations.sort_unstable();
        relations.dedup();
        Ok(relations)
    }
}

/// Tests of an engine, and what to show of them.
pub struct Sql {
    pub engine: String,
    pub args: EngineArgs,
    pub pairs: u64,
    pub limits: Limits,
    pub frame: RunSettings,
    pub interrupted: Arc<AtomicBool>,
}

impl Sql {
    /// What is measured, without showing it. None if it was interrupted.
    pub fn suite(self, talk: &Console) -> anyhow::Result<Option<Suite>> {
        let plan = self.args.plan(self.pairs)?;
        let scope = &self.frame.options.scope;
        let setting =
            setting(&self.engine, self.args.library.as_deref(), Flavour::Coverage, scope)?;
        let conditions = WorkerOptions {
            setting: &setting,
            workers: self.frame.options.workers,
            timeout: self.limits.wall,
            memory_bytes: self.limits.memory_bytes,
            interrupted: &self.interrupted,
        };
        let progress = Progress::new(talk, plan.groups(), 0, Operation::Xor);
        let measured = measure(&plan, &conditions, SharedTable::default(), &progress);
        progress.finish(false);
        whole(measured.map(|(suite, _)| suite), plan.groups())
    }

    pub fn run(self, talk: &Console) -> anyhow::Result<ExitCode> {
        let Sql { engine, args, pairs, limits, mut frame, interrupted } = self;
        let plan = args.plan(pairs)?;
        frame.options.scope.blocks = frame.presentation.asks_for(Criterion::Block);
        let setting =
            setting(&engine, args.library.as_deref(), Flavour::Coverage, &frame.options.scope)?;
        let conditions = WorkerOptions {
            setting: &setting,
            workers: frame.options.workers,
            timeout: limits.wall,
            memory_bytes: limits.memory_bytes,
            interrupted: &interrupted,
        };
        let mut log = RunLog::default();
        let code = frame.run(plan.groups(), talk, |table, observer| {
            let (suite, of_run) = measure(&plan, &conditions, table, observer)?;
            log = of_run;
            Ok(suite)
        })?;
        tell(&log, talk);
        Ok(code)
    }
}

/// How much of what was generated worked, and where the time went.
pub fn tell(log: &RunLog, talk: &Console) {
    for (kind, success) in &log.successes.by_kind {
        talk.detail(|| format!("{kind}: {} of {} worked", success.worked, success.tried));
    }
    let all: f64 = Phase::ALL.iter().map(|(phase, _)| log.spent.on(*phase).as_secs_f64()).sum();
    for (phase, name) in Phase::ALL {
        let seconds = log.spent.on(phase).as_secs_f64();
        talk.detail(|| format!("{name}: {seconds:.2} s, {:.1} %", 100.0 * seconds / all));
    }
}

/// What is tested: the SQLite that is inside, or the user's.
pub fn setting(
    engine: &str,
    library: Option<&Path>,
    look: Flavour,
    scope: &Scope,
) -> anyhow::Result<WorkerConfig> {
    let mut prefix_map = scope.prefix_map.clone();
    let (library, notes) = if let Some(library) = library {
        let library = std::path::absolute(library)?;
        let notes = library.parent().map(ToOwned::to_owned).unwrap_or_default();
        (library, scope.notes.clone().unwrap_or(notes))
    } else {
        let Artifact { library, plain_library, notes, folder } = target::engine(engine)?;
        prefix_map.push((folder, "/".to_owned()));
        match look {
            Flavour::Coverage => (library, notes),
            Flavour::Traces => (notes.join(SWIFT).join(LIBRARY), notes.join(SWIFT)),
            Flavour::Outcomes => (plain_library, notes),
        }
    };
    let texts = |patterns: &[Regex]| patterns.iter().map(ToString::to_string).collect();
    let coverage = (look != Flavour::Outcomes).then(|| Coverage {
        notes,
        prefix_map,
        filter: texts(&scope.filter),
        exclude: texts(&scope.exclude),
        blocks: scope.blocks,
    });
    Ok(WorkerConfig { library, operations_max: OPERATIONS_MAX, coverage })
}
