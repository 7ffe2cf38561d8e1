//! `metacov study run` of suites, one after the other.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Parser;
use metacov_campaign::{MutantChoice, MutantRunOptions, SuiteOptions};
use metacov_core::{Operation, Suite};
use metacov_run::RunError;
use metacov_store::Recording;
use metacov_study::conduct::{
    MutantsRun, Selection, Shard, StudyFolder, SuiteTasks, SuitesRun, TaskEnd, run_pipeline,
};
use metacov_study::{
    BugsPlan, Efficiency, EfficiencyPlan, KnownBugs, MutantsPlan, StudyPlan, SuiteSpec, Task,
};

use super::bugs;
use crate::args::count::positive;
use crate::args::run_file::ResumeArgs;
use crate::cmd::{measure, mutants, target, with_context, workers};
use crate::console::Console;
use crate::console::progress::Progress;
use crate::exit_code::{ExitCode, Outcome};
use crate::signals::interrupted;

const EXAMPLES: &str = "\
Examples:
  metacov study run study.toml --quick                    try it with small suites
  metacov study run study.toml --out results/             run it, or continue it
  metacov study run study.toml --shard 1/3 --out first/   run a third, on one of three machines";

/// Run a study, or continue it, and report.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES)]
pub struct Args {
    /// Study.
    #[arg(value_name = "STUDY.toml")]
    pub study: PathBuf,
    /// Folder for the results [default: `study-` and the name of the study].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Try it: three suites of the two smallest sizes, and one pair with gcovr.
    #[arg(long)]
    pub quick: bool,
    /// Run only this part of the suites or trials, such as 1/3, 2/3 or 3/3.
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    shard: Shard,
    /// Run only this trial (`metacov study plan` lists the ids).
    #[arg(long, value_name = "ID", conflicts_with_all = ["shard", "array_from_env"])]
    trial: Option<String>,
    /// Run only the part of this task of a Slurm array or Kubernetes job.
    ///
    /// The number of the task is in `SLURM_ARRAY_TASK_ID` or, for an indexed job of Kubernetes, `JOB_COMPLETION_INDEX`.
    #[arg(long, conflicts_with = "shard")]
    array_from_env: bool,
    /// Executions or trials at the same time [default: the number of processors].
    #[arg(short, long, value_name = "N", value_parser = positive::<NonZero<usize>>)]
    pub jobs: Option<NonZero<usize>>,
    /// Known bugs for Q1, in place of those of the study (docs/corpus.md describes the file).
    #[arg(long, value_name = "FILE")]
    pub corpus: Option<PathBuf>,
    /// gcovr program for the paper's pipeline in Q3 [default: gcovr].
    #[arg(long, value_name = "PROGRAM")]
    pub gcovr: Option<PathBuf>,
}

impl Args {
    /// Returns the selection of suites or trials.
    pub fn selection(&self) -> Result<Selection, RunError> {
        match &self.trial {
            Some(id) => Ok(Selection::Id(id.clone())),
            None if self.array_from_env => {
                Selection::from_environment(|name| std::env::var(name).ok())
            }
            None => Ok(Selection::Shard(self.shard)),
        }
    }
}

/// Measures everything that has no result yet.
pub fn suites(
    args: &Args,
    plan: StudyPlan,
    text: &str,
    folder: StudyFolder<'_>,
    shard: Shard,
    console: &Console,
) -> Outcome {
    let plan = if args.quick { plan.quick() } else { plan };
    let plan = match &args.corpus {
        // Paths in a study are relative to its file, those on the command line are not.
        Some(corpus) => plan.with_corpus(std::path::absolute(corpus)?),
        None => plan,
    };
    folder.keep_study(text)?;
    for name in &plan.targets {
        target::engine_on_demand(name, console)?;
    }
    let (name, repeats_bugs) = (args.study.display().to_string(), args.corpus.is_some());
    let run = SuitesRun { plan: &plan, name, folder, shard, repeats_bugs };
    if !run.run(&Tasks { args, plan: &plan, console })? {
        console.warning("interrupted: run the same command to continue");
        return Ok(ExitCode::Interrupted);
    }
    Ok(ExitCode::Success)
}

/// The options of `metacov measure` that a study has for its suites.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct MeasureOptions {
    #[command(flatten)]
    measure: measure::Args,
}

/// Runs the tasks of a study as the commands do.
struct Tasks<'t> {
    args: &'t Args,
    plan: &'t StudyPlan,
    console: &'t Console,
}

impl Tasks<'_> {
    /// The folder that the paths of the study are relative to.
    fn study_folder(&self) -> &Path {
        let folder = self.args.study.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }

    /// The options of a suite.
    fn options(&self) -> Result<SuiteOptions, RunError> {
        let parsed = MeasureOptions::try_parse_from(&self.plan.options).map_err(|error| {
            let message = error.to_string();
            let message = message.lines().next().unwrap_or_default();
            let study = self.args.study.display();
            RunError::Invalid(format!("{study}: {}", message.trim_start_matches("error: ")))
        })?;
        let mut options = parsed.measure.options(!self.plan.targets.is_empty(), interrupted()?)?;
        options.fold.workers = self.args.jobs.unwrap_or(options.fold.workers);
        Ok(options)
    }
}

impl SuiteTasks for Tasks<'_> {
    type Error = RunError;

    fn on_task(&self, number: usize, all: usize, task: &Task) {
        let what = match task {
            Task::Suite(suite) => format!("suite {}", suite.name()),
            Task::Bugs(bugs) => format!("known bugs of {}", bugs.corpus.display()),
            Task::Efficiency(_) => "the paper's pipeline, with gcovr".to_owned(),
        };
        self.console.note(&format!("{number} of {all}: {what}"));
    }

    fn measure(
        &self,
        suite: &SuiteSpec,
        run_file: Option<&Path>,
    ) -> Result<TaskEnd<Suite>, RunError> {
        let config = self.plan.config(suite, self.study_folder(), self.options()?)?;
        let settings = config.settings();
        let (path, resume) =
            (run_file.map(Path::to_owned), ResumeArgs { resume: run_file.is_some() });
        let run_file = resume.run_file(path, "measure", true, settings, interrupted()?)?;
        let suite = config.open(&target::list())?;
        let (fold, planned, provenance) = (suite.fold.clone(), suite.groups(), suite.provenance());
        let mut recording = Recording::start(run_file.as_ref(), &fold, planned, provenance, false)?;
        let progress = Progress::new(self.console, planned, recording.known(), Operation::Xor);
        let measured =
            recording.fold(&progress, |table, observer| Ok(suite.measure(table, observer)?.0));
        progress.finish(false);
        Ok(TaskEnd::of(recording.finish(measured).1?.suite, planned))
    }

    fn mutants(&self, plan: MutantsPlan, run_file: &Path) -> Result<TaskEnd<()>, RunError> {
        let run = MutantsRun {
            path: run_file,
            choice: MutantChoice { sample: plan.sample, ..MutantChoice::default() },
            changed_since: None,
            shard: Shard::ALL,
            command: &[],
            options: MutantRunOptions { workers: workers(self.args.jobs), compares: false },
        };
        let is_whole = !mutants::run_pairs(&run, self.console)?.is_interrupted;
        Ok(if is_whole { TaskEnd::Done(()) } else { TaskEnd::Interrupted })
    }

    fn known_bugs(&self, bugs: &BugsPlan) -> Result<KnownBugs, RunError> {
        let path = self.study_folder().join(&bugs.corpus);
        bugs::known_bugs(&path, bugs, self.args.jobs, self.console)
    }

    fn efficiency(&self, sample: EfficiencyPlan) -> Result<TaskEnd<Efficiency>, RunError> {
        let gcovr = self.args.gcovr.as_deref().unwrap_or(Path::new("gcovr"));
        with_context(self.args.jobs, self.console, |context| {
            run_pipeline(self.plan, sample, gcovr, context)
        })
    }
}
