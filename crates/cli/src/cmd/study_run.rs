//! `metacov study run`: the suites of a study, one after the other.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Parser;
use metacov_study::{
    BugsPlan, EfficiencyPlan, StudyPlan, SuiteNumbers, SuiteResult, SuiteSpec, Task,
};

use super::stopwatch::Stopwatch;
use super::study_folder::Folder;
use super::study_part::{Selection, Shard};
use super::study_pipeline::{self, Piped};
use super::{measure, study_bugs, target};
use crate::exit_code::ExitCode;
use crate::talk::Console;

/// Measure the suites of a study that are not there yet, or run its campaigns, and report.
#[derive(clap::Args)]
pub struct Args {
    /// The study.
    #[arg(value_name = "STUDY.toml")]
    pub study: PathBuf,
    /// The folder for what comes of it [default: `study-` and the study's name].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Only three suites of the two smallest sizes, and one pair with gcovr: to see that it works.
    #[arg(long)]
    pub quick: bool,
    /// Only this part of the suites or trials: 1/3, 2/3 or 3/3.
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    shard: Shard,
    /// Only this trial, by its id (see `metacov study plan`).
    #[arg(long, value_name = "ID", conflicts_with_all = ["shard", "array_from_env"])]
    trial: Option<String>,
    /// Only what this task of an array of Slurm (`SLURM_ARRAY_TASK_ID`), or of an indexed job of Kubernetes
    /// (`JOB_COMPLETION_INDEX`), is to do.
    #[arg(long, conflicts_with = "shard")]
    array_from_env: bool,
    /// How many executions or trials run at once [default: the number of processors].
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<NonZero<usize>>,
    /// Known bugs for Q1 instead of the study's own (docs/corpus.md draws the file).
    #[arg(long, value_name = "FILE")]
    pub corpus: Option<PathBuf>,
    /// The gcovr of the paper's pipeline, for Q3.
    #[arg(long, value_name = "PROGRAM", default_value = "gcovr")]
    gcovr: PathBuf,
}

impl Args {
    /// Which part is meant.
    pub fn selection(&self) -> anyhow::Result<Selection> {
        match &self.trial {
            Some(id) => Ok(Selection::Id(id.clone())),
            None if self.array_from_env => {
                Selection::from_environment(|name| std::env::var(name).ok())
            }
            None => Ok(Selection::Shard(self.shard)),
        }
    }
}

/// Suites to measure.
pub struct SuitesRun<'s> {
    pub args: &'s Args,
    pub folder: Folder<'s>,
    pub shard: Shard,
}

/// Whether a task is done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Done,
    Interrupted,
}

/// A suite is measured as `metacov measure` does it, with the words that a user would type.
#[derive(Parser)]
struct Words {
    #[command(flatten)]
    measure: measure::Args,
}

impl SuitesRun<'_> {
    /// Measures what is not there yet.
    pub fn run(&self, plan: StudyPlan, text: &str, talk: &Console) -> anyhow::Result<ExitCode> {
        let plan = if self.args.quick { plan.quick() } else { plan };
        let plan = match &self.args.corpus {
            Some(corpus) => {
                // Paths of a study are relative to it, those of the command line are not.
                let corpus = std::path::absolute(corpus)?;
                let known = plan.bugs.map(|bugs| BugsPlan { corpus: corpus.clone(), ..bugs });
                StudyPlan { bugs: known.or_else(|| Some(BugsPlan::of(corpus))), ..plan }
            }
            None => plan,
        };
        self.folder.keep_study(text)?;
        for name in &plan.targets {
            target::engine_on_demand(name, talk)?;
        }
        let Shard { part, parts } = self.shard;
        let tasks: Vec<Task> = plan.tasks().into_iter().skip(part - 1).step_by(parts).collect();
        for (at, task) in tasks.iter().enumerate() {
            let tell = |what: &str| talk.note(&format!("{} of {}: {what}", at + 1, tasks.len()));
            let progress = match task {
                Task::Bugs(bugs) => self.bugs(bugs, &tell, talk)?,
                Task::Efficiency(sample) => self.efficiency(&plan, *sample, &tell, talk)?,
                Task::Suite(suite) => self.suite(&plan, suite, &tell, talk)?,
            };
            if progress == Progress::Interrupted {
                talk.warning("interrupted; run it again to go on");
                return Ok(ExitCode::Interrupted);
            }
        }
        Ok(ExitCode::Success)
    }

    /// Known bugs; those that the command line names are always run, as they may be others.
    fn bugs(
        &self,
        bugs: &BugsPlan,
        tell: &dyn Fn(&str),
        talk: &Console,
    ) -> anyhow::Result<Progress> {
        if self.args.corpus.is_none() && self.folder.bugs()?.is_some() {
            return Ok(Progress::Done);
        }
        let path = self.beside().join(&bugs.corpus);
        tell(&format!("known bugs of {}", bugs.corpus.display()));
        let known = study_bugs::known_bugs(&path, &bugs.engine, self.args.jobs, talk)?;
        self.folder.keep_bugs(&known)?;
        Ok(Progress::Done)
    }

    /// The paper's pipeline, unless as many pairs went through it before.
    fn efficiency(
        &self,
        plan: &StudyPlan,
        sample: EfficiencyPlan,
        tell: &dyn Fn(&str),
        talk: &Console,
    ) -> anyhow::Result<Progress> {
        let known = self.folder.efficiency()?;
        if known.is_some_and(|known| known.pairs.len() as u64 >= sample.pairs) {
            return Ok(Progress::Done);
        }
        tell("the paper's pipeline, with gcovr");
        match study_pipeline::run(plan, sample, &self.args.gcovr, self.args.jobs, talk)? {
            Piped::Measured(efficiency) => self.folder.keep_efficiency(&efficiency)?,
            Piped::Interrupted => return Ok(Progress::Interrupted),
            Piped::NoGcovr => talk.warning(&format!(
                "{} is not there: Q3 goes without the paper's pipeline. To have it: pip install gcovr (or \
                 scripts/oracles, and --gcovr target/oracles/gcovr-8.7/bin/gcovr), and run this again",
                self.args.gcovr.display()
            )),
        }
        Ok(Progress::Done)
    }

    fn suite(
        &self,
        plan: &StudyPlan,
        suite: &SuiteSpec,
        tell: &dyn Fn(&str),
        talk: &Console,
    ) -> anyhow::Result<Progress> {
        if let Some(known) = self.folder.outcome(&suite.name())? {
            if known.seed != suite.seed {
                bail!("{} was measured with another seed", suite.name());
            }
            return Ok(Progress::Done);
        }
        tell(&format!("suite {}", suite.name()));
        let Some(outcome) = self.measure(plan, suite, talk)? else {
            return Ok(Progress::Interrupted);
        };
        self.folder.keep_outcome(&outcome)?;
        Ok(Progress::Done)
    }

    /// What the paths of the study are relative to.
    fn beside(&self) -> &Path {
        let folder = self.args.study.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }

    /// None if it was interrupted.
    fn measure(
        &self,
        plan: &StudyPlan,
        suite: &SuiteSpec,
        talk: &Console,
    ) -> anyhow::Result<Option<SuiteResult>> {
        let mut words = plan.words(suite, self.beside());
        if let Some(jobs) = self.args.jobs {
            words.splice(1..1, [OsString::from("--jobs"), jobs.to_string().into()]);
        }
        let words = Words::try_parse_from(words).map_err(|error| {
            let message = error.to_string();
            let message = message.lines().next().unwrap_or_default();
            anyhow::anyhow!(
                "{}: {}",
                self.args.study.display(),
                message.trim_start_matches("error: ")
            )
        })?;
        let watch = Stopwatch::start();
        let Some(measured) = words.measure.suite(talk)? else { return Ok(None) };
        let time = watch.time();
        let record = SuiteNumbers::of(suite.name(), &measured);
        if record.measurements.is_empty() {
            bail!("{}: no pair of {} could be measured", self.args.study.display(), suite.name());
        }
        Ok(Some(SuiteResult::new(suite, &record, time)))
    }
}
