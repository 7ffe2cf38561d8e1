//! `metacov measure`

mod check;
pub mod engine;

use std::mem::take;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use metacov_campaign::{SuiteConfig, SuiteOptions, SuitePairs};
use metacov_core::{Criterion, Operation};
use metacov_exec::Flavour;
use metacov_report::{By, PairOrigin, run_log_details};
use metacov_run::{FoldOptions, RunError};

use super::target::list;
use super::{RunSettings, workers};
use crate::args::count::positive;
use crate::args::judge::JudgeArgs;
use crate::args::output::OutputArgs;
use crate::args::run_file::ResumeArgs;
use crate::args::scope::ScopeArgs;
use crate::args::solver::check_seeds;
use crate::args::target::TargetArgs;
use crate::console::Console;
use crate::exit_code::{Outcome, bail_usage};
use crate::signals::interrupted;
use engine::EngineArgs;

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
    #[arg(conflicts_with_all = ["output", "by", "criterion", "fail_under", "gcovr_format"])]
    #[arg(conflicts_with_all = ["filter", "exclude", "root", "prefix_map", "no_markers"])]
    #[arg(conflicts_with_all = ["per_instance", "notes"])]
    no_coverage: bool,
}

/// What goes with every suite.
#[derive(clap::Args)]
struct FrameArgs {
    /// Executions at the same time [default: the number of processors].
    #[arg(short, long, value_name = "N", value_parser = positive::<NonZero<usize>>, help_heading = "Running")]
    jobs: Option<NonZero<usize>>,
    /// Run each input N times; sites that do not run every time are flaky [default: 1].
    #[arg(long, value_name = "N", value_parser = positive::<NonZero<u32>>, help_heading = "Running", hide_short_help = true)]
    repeat: Option<NonZero<u32>>,
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

impl Args {
    pub fn run(self, console: &Console) -> Outcome {
        let is_measured = !self.no_coverage;
        let (config, settings) = self.config()?;
        if let SuitePairs::Generated(suite) = &config.pairs {
            check_seeds(&suite.engine, suite.target.seeds.as_deref(), console)?;
        }
        match config.pairs {
            SuitePairs::Generated(suite) if !is_measured => {
                let FoldOptions { scope, workers, .. } = &config.fold;
                check::run(&suite.open(&list(), Flavour::Plain, scope, *workers)?, console)
            }
            _ => measure(config, settings, console),
        }
    }

    /// Validates everything.
    fn config(mut self) -> Result<(SuiteConfig, RunSettings), RunError> {
        let (output, resume) = (take(&mut self.frame.output), take(&mut self.frame.resume));
        let (leave_out_flaky, interrupted) = (self.frame.no_flaky, interrupted()?);
        let signal = interrupted.clone();
        let mut config = if let Some(engine) = self.engine.take() {
            if !self.target.command.is_empty() {
                bail_usage!("both a target and a command after `--`: give one of them");
            }
            if self.pairs.is_some() {
                bail_usage!(
                    "--pairs PATH goes with a command after `--`; pairs for a target are \
                     generated: use --count N"
                );
            }
            let count = self.on_engine.count.unwrap_or(DEFAULT_COUNT).get();
            let databases = self.on_engine.databases();
            let seed = self.on_engine.seed();
            self.options(true, interrupted)?.generated(engine, count, databases, seed)
        } else {
            let command = take(&mut self.target.command);
            if command.is_empty() {
                bail_usage!(
                    "missing command: metacov measure --pairs PATH -- ./prog @@ (or a target: \
                     metacov measure sqlite)"
                );
            }
            let (pairs, pair) = (self.pairs.take(), self.pair.take());
            let options = self.options(false, interrupted)?;
            let Some(pairs) = pairs else {
                bail_usage!(
                    "missing --pairs PATH: the inputs, as folders or in a manifest (see --help)"
                );
            };
            options.given(command, pairs, pair)?
        };
        let (mut presentation, path) = output.presentation(By::Relation)?;
        presentation.in_shares = true;
        // There are as many blocks as all other sites together, so they are read only on request.
        config.fold.scope.blocks = presentation.asks_for(Criterion::Block);
        let settings = config.settings();
        let origin = match &config.pairs {
            SuitePairs::Given(_) => PairOrigin::Files,
            SuitePairs::Generated(_) => PairOrigin::Generated,
        };
        let mut run_file = resume.run_file(path, "measure", true, settings, signal)?;
        if let (SuitePairs::Given(suite), Some(file)) = (&config.pairs, &mut run_file)
            && file.goes_on()
        {
            file.listed = Some(suite.of_relations()?.names()?);
        }
        let settings = RunSettings { run_file, timed: true, origin, leave_out_flaky, presentation };
        Ok((config, settings))
    }

    /// Validates the options that do not say which pairs are run. Those that mean nothing for a target, or for a
    /// command, are refused.
    pub fn options(
        self,
        is_target: bool,
        interrupted: Arc<AtomicBool>,
    ) -> Result<SuiteOptions, RunError> {
        if is_target {
            let repeats = self.frame.repeat.is_some().then_some("--repeat");
            let judges = self.judge.is_given().then_some("--judge");
            if let Some(option) = self.target.only_for_commands().or(repeats).or(judges) {
                bail_usage!("{option} goes with a command after `--`, not with a target");
            }
            if self.frame.scope.has_notes() && self.on_engine.library.is_none() {
                bail_usage!("--notes goes with --library or a command; a target has its own notes");
            }
        } else {
            if self.no_coverage {
                bail_usage!("--no-coverage goes with a target, not with a command after `--`");
            }
            if self.on_engine.count.is_some() {
                bail_usage!("--count goes with a target; a command gets all pairs of --pairs PATH");
            }
            if let Some(option) = self.on_engine.only_for_targets() {
                bail_usage!("{option} goes with a target, not with a command after `--`");
            }
        }
        let (program, target) = self.on_engine.solver.options()?;
        Ok(SuiteOptions {
            target,
            judges: self.judge.judges()?,
            limits: self.target.limits(),
            mode: self.target.mode,
            setup: self.target.setup()?,
            valid_codes: self.target.valid_exit,
            relations: self.on_engine.relations.names(),
            library: program.or(self.on_engine.library),
            repeat: self.frame.repeat.unwrap_or(NonZero::<u32>::MIN),
            interrupted,
            fold: FoldOptions {
                scope: self.frame.scope.scope()?,
                operation: Operation::Xor,
                universe: Vec::new(),
                workers: workers(self.frame.jobs),
            },
        })
    }
}

/// Measures a suite and shows it.
fn measure(config: SuiteConfig, settings: RunSettings, console: &Console) -> Outcome {
    let suite = config.open(&list())?;
    let (fold, planned, provenance) = (suite.fold.clone(), suite.groups(), suite.provenance());
    let mut log = None;
    let code = settings.run(&fold, planned, provenance, console, |table, observer| {
        let (suite, of_run) = suite.measure(table, observer)?;
        log = of_run;
        Ok(suite)
    })?;
    for detail in log.iter().flat_map(run_log_details) {
        console.detail(|| detail);
    }
    Ok(code)
}

#[cfg(test)]
#[path = "../../tests/documented_commands/measure_options.rs"]
mod tests;
