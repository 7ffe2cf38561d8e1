//! `metacov measure`

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use metacov_core::Operation;
use metacov_exec::{Inputs, Target, pairs_below};
use metacov_formats::{FileSpec, GroupSpec, Options, Plan};
use metacov_report::By;
use metacov_store::Settings;

use super::output_args::OutputArgs;
use super::run_file::{ResumeArgs, RunFile, command, paths};
use super::scope_args::ScopeArgs;
use super::target_args::TargetArgs;
use super::{Config, workers};

const EXAMPLES: &str = "\
Examples:
  A program that takes a file, and one that reads standard input:
    metacov measure --pairs pairs/ -- ./prog @@
    metacov measure --pairs pairs/ -- ./prog
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
or a manifest as for `metacov diff --pairs`, with inputs in place of coverage files.

The table:
  executed, Cov     what ran, and its percentage of all sites: coverage
  difference, MC    what one side ran and the other did not, and its percentage of all sites
  MC/Cov            the difference in percent of what ran";

/// Run a program on pairs of inputs and measure what they differ in.
///
/// The program is built with `gcc --coverage` (tested with gcc 11 and 12). Each execution is a
/// process of its own, with counters of its own; a side that crashes, hangs or leaves no counters
/// is counted as such and never as one that covers nothing.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The pairs: a folder of folders, or a manifest.
    #[arg(long, value_name = "PATH")]
    pairs: PathBuf,
    /// How many executions run at once [default: the number of processors].
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// Run each input this often; what does not run every time is shown as flaky.
    #[arg(long, value_name = "TIMES", default_value = "1")]
    repeat: NonZero<u32>,
    /// Leave out what is flaky.
    #[arg(long, requires = "repeat")]
    no_flaky: bool,

    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    resume: ResumeArgs,
}

impl Args {
    pub fn config(self) -> anyhow::Result<Config<Inputs>> {
        let target = Arc::new(self.target.target()?);
        let mut presentation = self.output.presentation(By::Relation)?;
        let settings = Settings::from([
            ("--pairs".to_owned(), paths([&self.pairs])),
            ("--repeat".to_owned(), self.repeat.to_string()),
            ("--timeout".to_owned(), format!("{}", target.limits.wall.as_secs_f64())),
            ("the command".to_owned(), command(&target.command)),
        ]);
        presentation.in_shares = true;
        let run_file = presentation.run_file.take();
        Ok(Config {
            run_file: RunFile::of(run_file, &self.resume, "measure", true, settings)?,
            timed: true,
            plan: plan(&self.pairs, &target, self.repeat)?,
            leave_out_flaky: self.no_flaky,
            options: Options {
                scope: self.scope.scope()?,
                operation: Operation::Xor,
                universe: Vec::new(),
                workers: workers(self.jobs),
            },
            presentation,
        })
    }
}

fn plan(pairs: &Path, target: &Arc<Target>, repeat: NonZero<u32>) -> anyhow::Result<Plan<Inputs>> {
    let target = target.clone();
    let inputs = move |files: Vec<PathBuf>| Inputs { target: target.clone(), files, repeat };
    if pairs.is_dir() {
        let groups = pairs_below(pairs)?;
        let (count, groups) = (groups.len() as u64, groups.into_iter());
        let specs = Box::new(groups.map(move |group| Ok(with_sides(group, &inputs))));
        return Ok(Plan { groups: count, specs });
    }
    let Plan { groups, specs } = Plan::open(pairs)?;
    let inputs =
        move |files: Vec<FileSpec>| inputs(files.into_iter().map(|file| file.path).collect());
    let specs = Box::new(specs.map(move |group| Ok(with_sides(group?, &inputs))));
    Ok(Plan { groups, specs })
}

fn with_sides<S>(group: GroupSpec<S>, inputs: &impl Fn(S) -> Inputs) -> GroupSpec<Inputs> {
    let GroupSpec { relation, pair, sides } = group;
    GroupSpec { relation, pair, sides: sides.map(inputs) }
}
