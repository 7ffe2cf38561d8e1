//! `metacov measure`

mod check;
pub mod engine;

use std::num::NonZero;
use std::path::{Path, PathBuf};

use metacov_core::{Operation, Suite};
use metacov_exec::{Executions, Invocation, Program, pairs_below};
use metacov_formats::{GroupSpec, PairList};
use metacov_report::By;
use metacov_run::{FoldOptions, ProgramRuns, SharedTable, fold};
use metacov_store::Settings;

use super::{Config, RunSettings, workers};
use crate::args::count;
use crate::args::output::OutputArgs;
use crate::args::run_file::{ResumeArgs, RunFile, paths};
use crate::args::scope::ScopeArgs;
use crate::args::target::{TargetArgs, interrupted, settings};
use crate::console::Console;
use crate::console::progress::Progress;
use crate::exit_code::{ExitCode, UsageError, bail_usage};
use engine::{EngineArgs, Sql};

const EXAMPLES: &str = "\
Examples:
  The SQLite that is inside, with databases and queries from a seed; an old one, with old faults:
    metacov measure sqlite --relation norec --count 1000 --databases 50 --seed 7
    metacov target build sqlite@3.29.0 && metacov measure sqlite@3.29.0 --count 1000
  A program that takes a file, and one that reads standard input:
    metacov measure --pairs pairs/ -- ./prog @@
    metacov measure --pairs pairs/ -- ./prog
  A library that fuzzers can call, without a process for each input:
    metacov measure --pairs pairs/ -- ./libtarget.so
  A run that can be cut and goes on, and that is kept:
    metacov measure --pairs pairs/ -o run.metacov --resume -- ./prog @@
  Inputs that share a database:
    metacov measure --pairs pairs/ --setup schema.sql -- ./shell
  Does the program run the same code each time it gets the same input?
    metacov measure --pairs pairs/ --repeat 5 -- ./prog @@
  In which functions do the sides differ?
    metacov measure --pairs pairs/ --by function --criterion line -- ./prog @@
  Keep all pairs in a run file, and go on with it after an interrupt:
    metacov measure --pairs pairs/ -o run.metacov -- ./prog @@
    metacov measure --pairs pairs/ -o run.metacov --resume -- ./prog @@
    metacov report run.metacov --by file

Pairs are folders of inputs; what a file is called tells its side:
  pairs/first/a.txt b.txt
  pairs/norec/first/a.sql b.sql          the folder above names the relation
  pairs/fusion/first/a1.smt2 a2.smt2 b.smt2   several inputs of a side are united
or a manifest, one pair in a line, files relative to its folder. A side is an input, or an object
with what its execution gets, or a list of those; `args` stand behind those of the command:
  {\"relation\": \"norec\", \"pair\": 1, \"a\": \"1a.sql\", \"b\": \"1b.sql\"}
  {\"relation\": \"level\", \"pair\": 1, \"a\": {\"input\": \"x\", \"args\": [\"-1\"]}, \"b\": \"x\"}
  {\"relation\": \"locale\", \"pair\": 1, \"a\": \"x\", \"b\": {\"stdin\": \"x\", \"env\": {\"LANG\": \"C\"}}}

The table:
  executed, Cov     what ran, and its percentage of all sites: coverage
  MC sites, MC      what is in the difference of at least one pair, and its percentage of all sites
  MC/Cov            the difference in percent of what ran";

/// How many pairs of each relation are generated for an engine, unless `--count` says otherwise.
pub const DEFAULT_COUNT: NonZero<u64> = NonZero::new(100).unwrap();

/// Run an engine or a program on pairs of inputs and measure what they differ in.
///
/// For an engine (`sqlite`), databases and pairs are made from a seed. A program is built with `metacov cc`, or with `gcc --coverage` if it cannot be built anew
/// (gcc 11 and 12 are tested). A side that crashes, hangs, is invalid or leaves no counters is
/// counted as such and never as one that covers nothing.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// An engine for which pairs are made: `sqlite`, which is inside, or `sqlite@VERSION` (see
    /// `metacov target list`); otherwise a command behind `--`.
    #[arg(value_name = "ENGINE")]
    engine: Option<String>,
    /// The pairs of inputs for a command: a folder of folders, or a manifest.
    #[arg(long, value_name = "PATH")]
    pairs: Option<PathBuf>,
    /// Run each input this often; what does not run every time is shown as flaky.
    #[arg(long, value_name = "TIMES", default_value = "1")]
    repeat: NonZero<u32>,

    #[command(flatten)]
    on_engine: EngineArgs,
    /// Only test whether relations hold, and as fast as that goes: on an SQLite that does not count
    /// (`--library`: of any compiler).
    #[arg(long, help_heading = "Engine", conflicts_with_all = ["output", "by", "criterion", "fail_under"])]
    no_coverage: bool,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    frame: FrameArgs,
}

/// What goes with every suite.
#[derive(clap::Args)]
struct FrameArgs {
    /// How many executions run at once [default: the number of processors].
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// Leave out what is flaky.
    #[arg(long, requires = "repeat")]
    no_flaky: bool,

    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    resume: ResumeArgs,
}

impl FrameArgs {
    /// What is meant; a run must agree in the settings with one that it goes on with.
    fn frame(self, settings: Settings) -> anyhow::Result<RunSettings> {
        let mut presentation = self.output.presentation(By::Relation)?;
        presentation.in_shares = true;
        let run_file = presentation.run_file.take();
        Ok(RunSettings {
            run_file: RunFile::of(run_file, &self.resume, "measure", true, settings)?,
            timed: true,
            leave_out_flaky: self.no_flaky,
            options: FoldOptions {
                scope: self.scope.scope()?,
                operation: Operation::Xor,
                universe: Vec::new(),
                workers: workers(self.jobs),
            },
            presentation,
        })
    }
}

impl Args {
    pub fn run(self, console: &Console) -> anyhow::Result<ExitCode> {
        if let Some(engine) = self.engine.clone() {
            let is_measured = !self.no_coverage;
            let sql = self.sql(engine, console)?;
            return if is_measured { sql.run(console) } else { check::run(&sql, console) };
        }
        super::run(self.config()?, console)
    }

    /// What is measured, without showing it: a suite of a study. None if it was interrupted.
    pub fn suite(self, console: &Console) -> anyhow::Result<Option<Suite>> {
        if let Some(engine) = self.engine.clone() {
            return self.sql(engine, console)?.suite(console);
        }
        let Config { source, pairs, frame } = self.config()?;
        let planned = pairs.groups;
        let progress = Progress::new(console, planned, 0, Operation::Xor);
        let suite = fold(&source, pairs, &frame.options, SharedTable::default(), &progress);
        progress.finish(false);
        Ok(whole(suite?, planned))
    }

    /// Tests of an engine.
    fn sql(self, engine: String, console: &Console) -> anyhow::Result<Sql> {
        if self.target.has_command() {
            bail_usage!("give either an engine or a command after `--`, not both");
        }
        let pairs = self.count(console)?.get();
        let repeats = (self.repeat.get() > 1).then_some("--repeat");
        if let Some(option) = self.target.only_for_commands().or(repeats) {
            bail_usage!("{option} goes with a command, not with an engine");
        }
        let settings = self.on_engine.settings(&engine, pairs);
        Ok(Sql {
            engine,
            args: self.on_engine,
            pairs,
            limits: self.target.limits(),
            frame: self.frame.frame(settings)?,
            interrupted: interrupted()?,
        })
    }

    /// How many pairs of each relation are generated.
    fn count(&self, console: &Console) -> anyhow::Result<NonZero<u64>> {
        let Some(pairs) = &self.pairs else {
            return Ok(self.on_engine.count.unwrap_or(DEFAULT_COUNT));
        };
        // Until version 0.2 this was the spelling of `--count`.
        let Some(count) = pairs.to_str().and_then(|text| text.parse().ok()) else {
            bail_usage!(
                "--pairs PATH goes with a command after `--`; an engine generates its pairs: use \
                 --count N for their number"
            );
        };
        if self.on_engine.count.is_some() {
            bail_usage!("--pairs {count} is deprecated: give --count alone");
        }
        count::warn(count, console);
        Ok(count)
    }

    fn config(self) -> anyhow::Result<Config<ProgramRuns>> {
        if !self.target.has_command() {
            bail_usage!(
                "a command is needed: metacov measure --pairs PATH -- ./prog @@ (or an engine: metacov measure sqlite)"
            );
        }
        if self.no_coverage {
            bail_usage!("--no-coverage goes with an engine");
        }
        if self.on_engine.count.is_some() {
            bail_usage!("--count goes with an engine; a command gets all pairs of --pairs PATH");
        }
        let Some(pairs) = self.pairs else {
            bail_usage!("--pairs is needed: the inputs, as folders or in a manifest (see --help)");
        };
        let target = self.target.target()?;
        let mut settings = settings(&target);
        settings.insert("--pairs".to_owned(), paths([&pairs]));
        settings.insert("--repeat".to_owned(), self.repeat.to_string());
        let frame = self.frame.frame(settings)?;
        let pairs = read_pairs(&pairs, &target)?;
        Ok(Config { source: ProgramRuns { target, repeat: self.repeat }, pairs, frame })
    }
}

/// The suite, if it has all that was planned.
pub fn whole(suite: Suite, planned: u64) -> Option<Suite> {
    let is_whole = suite.total().all_groups() == planned;
    is_whole.then_some(suite)
}

fn read_pairs(path: &Path, target: &Program) -> anyhow::Result<PairList<Vec<Invocation>>> {
    let read =
        || if path.is_dir() { pairs_below(path) } else { PairList::read::<Executions>(path) };
    if target.is_library() {
        for spec in read()?.specs {
            check_for_library(&spec?)?;
        }
    }
    Ok(read()?)
}

/// A library is called with an input. There is no process that could get anything else.
fn check_for_library(spec: &GroupSpec<Vec<Invocation>>) -> anyhow::Result<()> {
    if spec.sides.sides().iter().flatten().any(|invocation| invocation.only_input().is_none()) {
        bail_usage!(
            "pair {} of {}: a side has `args`, `env` or `stdin`, or no `input`, but a shared \
             library is called with an input and nothing else (measure a program instead)",
            spec.pair,
            spec.relation
        );
    }
    Ok(())
}
