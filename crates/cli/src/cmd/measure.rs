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
use crate::args::judge::{self, JudgeArgs};
use crate::args::output::OutputArgs;
use crate::args::run_file::{ResumeArgs, RunFile, paths};
use crate::args::scope::ScopeArgs;
use crate::args::target::{TargetArgs, interrupted, settings};
use crate::console::Console;
use crate::console::progress::Progress;
use crate::console::violations::PairOrigin;
use crate::exit_code::{ExitCode, bail_usage};
use engine::{EngineArgs, Sql};

const EXAMPLES: &str = "\
Examples:
  metacov measure --pairs pairs/ -- ./prog @@                 run a program on pairs of files
  metacov measure --pairs pairs/ --judge equal -- ./prog @@   check that both outputs are the same
  metacov measure sqlite --relation norec --count 1000        generate pairs for SQLite";

const ALL_EXAMPLES: &str = "\
Examples:
  Run a program that takes a file, and one that reads standard input:
    metacov measure --pairs pairs/ -- ./prog @@
    metacov measure --pairs pairs/ -- ./prog
  Call a library that fuzzers can call, without a process for each input:
    metacov measure --pairs pairs/ -- ./libtarget.so
  Store all pairs in a run file, continue it after an interrupt, report on it:
    metacov measure --pairs pairs/ -o run.metacov -- ./prog @@
    metacov measure --pairs pairs/ -o run.metacov --resume -- ./prog @@
    metacov report run.metacov --by file
  Check that both sides print the same lines, or what a command checks:
    metacov measure --pairs pairs/ --judge bag -- ./prog @@
    metacov measure --pairs pairs/ --judge 'command:diff -w {a} {b}' -- ./prog @@
  Show the functions in which the two sides differ:
    metacov measure --pairs pairs/ --by function --criterion line -- ./prog @@
  Put the same schema before each input:
    metacov measure --pairs pairs/ --setup schema.sql -- ./shell
  Check that the program runs the same code each time it gets the same input:
    metacov measure --pairs pairs/ --repeat 5 -- ./prog @@
  Generate pairs for the SQLite in this binary, and for an old version with old bugs:
    metacov measure sqlite --relation norec --count 1000 --databases 50 --seed 7
    metacov target build sqlite@3.29.0 && metacov measure sqlite@3.29.0 --count 1000";

const MORE: &str = "\
Pairs are folders of inputs, in which the name of a file says its side:
  pairs/first/a.txt b.txt                     one pair
  pairs/norec/first/a.sql b.sql               the folder above it is the relation
  pairs/fusion/first/a1.smt2 a2.smt2 b.smt2   several inputs of a side are united

Or a manifest with a pair in each line, whose files are relative to its folder. A side is an input, an object with what its execution gets, or a list of these; \
`args` come after those of the command:
  {\"relation\": \"norec\", \"pair\": 1, \"a\": \"1a.sql\", \"b\": \"1b.sql\"}
  {\"relation\": \"level\", \"pair\": 1, \"a\": {\"input\": \"x\", \"args\": [\"-1\"]}, \"b\": \"x\"}
  {\"relation\": \"locale\", \"pair\": 1, \"a\": \"x\", \"b\": {\"stdin\": \"x\", \"env\": {\"LANG\": \"C\"}}}
  {\"relation\": \"sort\", \"pair\": 1, \"a\": \"1a.txt\", \"b\": \"1b.txt\", \"judge\": \"bag\"}

The table:
  executed, Cov   sites that ran, and their percentage of all sites
  MC sites, MC    sites that only one side of some pair ran, and their percentage of all sites
  MC/Cov          MC sites in percent of executed";

/// How many pairs of each relation are generated for an engine by default.
pub const DEFAULT_COUNT: NonZero<u64> = NonZero::new(100).unwrap();

const USAGE: &str = "\
metacov measure [OPTIONS] --pairs PATH -- COMMAND...
       metacov measure [OPTIONS] TARGET";

/// Run pairs of inputs and measure the code that only one of the two sides runs.
///
/// The inputs are your own, for a program or library that you name after `--`; or they are generated from a seed, for a
/// target such as `sqlite`. Generated pairs are also checked, and your own with --judge: a violated relation ends in
/// exit code 6. A side that crashes, hangs, is invalid or leaves no counters is counted as such, never as one that covers nothing.
#[derive(clap::Args)]
#[command(override_usage = USAGE, before_help = EXAMPLES, before_long_help = ALL_EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Library to generate pairs for, such as `sqlite` (see `metacov target list`).
    #[arg(value_name = "TARGET")]
    engine: Option<String>,
    /// Pairs of inputs for COMMAND: a folder of folders, or a manifest.
    #[arg(long, value_name = "PATH", help_heading = "Running")]
    pairs: Option<PathBuf>,
    /// Run only this pair of --pairs.
    #[arg(long, value_name = "RELATION/NAME", requires = "pairs", hide_short_help = true)]
    #[arg(help_heading = "Running")]
    pair: Option<String>,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    frame: FrameArgs,
    #[command(flatten)]
    on_engine: EngineArgs,
    /// Only check relations, as fast as possible.
    ///
    /// The build of the target has no counters; that of --library may be from any compiler.
    #[arg(long, help_heading = "Generated pairs (TARGET)", hide_short_help = true)]
    #[arg(conflicts_with_all = ["output", "by", "criterion", "fail_under"])]
    no_coverage: bool,
}

/// What goes with every suite.
#[derive(clap::Args)]
struct FrameArgs {
    /// Executions at the same time [default: the number of processors].
    #[arg(short, long, value_name = "N", help_heading = "Running")]
    jobs: Option<NonZero<usize>>,
    /// Run each input N times; sites that do not run every time are flaky.
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Running")]
    #[arg(hide_short_help = true)]
    repeat: NonZero<u32>,
    /// Do not count flaky sites.
    #[arg(long, requires = "repeat", help_heading = "Running", hide_short_help = true)]
    no_flaky: bool,

    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    resume: ResumeArgs,
    #[command(flatten)]
    scope: ScopeArgs,
}

impl FrameArgs {
    /// Validates the options. The settings must agree with those of a run that is resumed.
    fn frame(self, settings: Settings, origin: PairOrigin) -> anyhow::Result<RunSettings> {
        let mut presentation = self.output.presentation(By::Relation)?;
        presentation.in_shares = true;
        let run_file = presentation.run_file.take();
        Ok(RunSettings {
            run_file: RunFile::of(run_file, &self.resume, "measure", true, settings)?,
            timed: true,
            origin,
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

    /// Measures a suite of a study without showing it. None if it was interrupted.
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

    /// Returns the tests of an engine.
    fn sql(self, engine: String, console: &Console) -> anyhow::Result<Sql> {
        if self.target.has_command() {
            bail_usage!("both a target and a command after `--`: give one of them");
        }
        let pairs = self.count(console)?.get();
        let repeats = (self.frame.repeat.get() > 1).then_some("--repeat");
        let judges = self.judge.is_given().then_some("--judge");
        let pair = self.pair.is_some().then_some("--pair");
        if let Some(option) = self.target.only_for_commands().or(repeats).or(judges).or(pair) {
            bail_usage!("{option} goes with a command after `--`, not with a target");
        }
        let settings = self.on_engine.settings(&engine, pairs);
        Ok(Sql {
            engine,
            args: self.on_engine,
            pairs,
            limits: self.target.limits(),
            frame: self.frame.frame(settings, PairOrigin::Generated)?,
            interrupted: interrupted()?,
        })
    }

    /// Returns how many pairs of each relation are generated.
    fn count(&self, console: &Console) -> anyhow::Result<NonZero<u64>> {
        let Some(pairs) = &self.pairs else {
            return Ok(self.on_engine.count.unwrap_or(DEFAULT_COUNT));
        };
        // Until version 0.2 this was the spelling of `--count`.
        let Some(count) = pairs.to_str().and_then(|text| text.parse().ok()) else {
            bail_usage!(
                "--pairs PATH goes with a command after `--`; pairs for a target are generated: \
                 use --count N"
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
                "missing command: metacov measure --pairs PATH -- ./prog @@ (or a target: metacov \
                 measure sqlite)"
            );
        }
        if self.no_coverage {
            bail_usage!("--no-coverage goes with a target, not with a command after `--`");
        }
        if self.on_engine.count.is_some() {
            bail_usage!("--count goes with a target; a command gets all pairs of --pairs PATH");
        }
        let Some(pairs) = self.pairs else {
            bail_usage!(
                "missing --pairs PATH: the inputs, as folders or in a manifest (see --help)"
            );
        };
        let judges = self.judge.judges()?;
        let mut target = self.target.target()?;
        let mut settings = settings(&target);
        settings.insert("--judge".to_owned(), judge::setting(&judges));
        settings.insert("--pairs".to_owned(), paths([&pairs]));
        settings.insert("--repeat".to_owned(), self.frame.repeat.to_string());
        settings.insert("--pair".to_owned(), self.pair.clone().unwrap_or_default());
        let repeat = self.frame.repeat;
        let frame = self.frame.frame(settings, PairOrigin::Files)?;
        let mut list = read_pairs(&pairs, &target)?;
        if let Some(name) = self.pair {
            let Some(only) = list.only(&name)? else {
                bail_usage!("{}: no pair `{name}` (RELATION/NAME)", pairs.display());
            };
            list = only;
        }
        target.keeps_output = !judges.is_empty() || list.has_judges;
        Ok(Config { source: ProgramRuns { target, repeat, judges }, pairs: list, frame })
    }
}

/// Returns the suite, if it is complete.
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

/// A library is called with an input: it has no arguments or environment.
fn check_for_library(spec: &GroupSpec<Vec<Invocation>>) -> anyhow::Result<()> {
    if spec.sides.sides().iter().flatten().any(|invocation| invocation.only_input().is_none()) {
        bail_usage!(
            "pair {} of {}: a shared library gets an `input` and nothing else: remove `args`, \
             `env` and `stdin`, or measure a program",
            spec.pair,
            spec.relation
        );
    }
    Ok(())
}
