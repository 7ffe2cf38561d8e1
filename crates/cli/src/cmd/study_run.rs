//! `metacov study run`: the suites of a study, one after the other.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::Path;

use anyhow::bail;
use clap::Parser;
use metacov_study::{BugsPlan, EfficiencyPlan, Outcome, Plan, Record, Suite, Task};

use super::stopwatch::Stopwatch;
use super::study::Shard;
use super::study_folder::{Folder, read};
use super::study_pipeline::{self, Piped};
use super::{measure, study_bugs, target};
use crate::exit_code::ExitCode;
use crate::talk::Talk;

/// A study to run.
pub struct Study<'s> {
    pub file: &'s Path,
    pub folder: Folder<'s>,
    /// Other known bugs than those of the study.
    pub corpus: Option<&'s Path>,
    /// What is called as gcovr.
    pub gcovr: &'s Path,
    pub jobs: Option<NonZero<usize>>,
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

impl Study<'_> {
    /// Measures what is not there yet.
    pub fn run(&self, quick: bool, talk: &Talk) -> anyhow::Result<ExitCode> {
        let text = read(self.file)?;
        let plan = Plan::parse(&text).map_err(|fault| fault.of(self.file.display().to_string()))?;
        let plan = if quick { plan.quick() } else { plan };
        let plan = match self.corpus {
            Some(corpus) => {
                // Paths of a study are relative to it, those of the command line are not.
                let corpus = std::path::absolute(corpus)?;
                let known = plan.bugs.map(|bugs| BugsPlan { corpus: corpus.clone(), ..bugs });
                Plan { bugs: known.or_else(|| Some(BugsPlan::of(corpus))), ..plan }
            }
            None => plan,
        };
        self.keep(&text)?;
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

    /// The study itself goes into the folder, so that what is there can be told later.
    fn keep(&self, text: &str) -> anyhow::Result<()> {
        if self.folder.is_there() && self.folder.study()? != text {
            bail!(
                "{} holds another study, or another version of this one; choose another --out",
                self.folder.0.display()
            );
        }
        Ok(self.folder.begin(text)?)
    }

    /// Known bugs; those that the command line names are always run, as they may be others.
    fn bugs(&self, bugs: &BugsPlan, tell: &dyn Fn(&str), talk: &Talk) -> anyhow::Result<Progress> {
        if self.corpus.is_none() && self.folder.bugs()?.is_some() {
            return Ok(Progress::Done);
        }
        let path = self.beside().join(&bugs.corpus);
        tell(&format!("known bugs of {}", bugs.corpus.display()));
        let known = study_bugs::known_bugs(&path, &bugs.engine, self.jobs, talk)?;
        self.folder.keep_bugs(&known)?;
        Ok(Progress::Done)
    }

    /// The paper's pipeline, unless as many pairs went through it before.
    fn efficiency(
        &self,
        plan: &Plan,
        sample: EfficiencyPlan,
        tell: &dyn Fn(&str),
        talk: &Talk,
    ) -> anyhow::Result<Progress> {
        let known = self.folder.efficiency()?;
        if known.is_some_and(|known| known.pairs.len() as u64 >= sample.pairs) {
            return Ok(Progress::Done);
        }
        tell("the paper's pipeline, with gcovr");
        match study_pipeline::run(plan, sample, self.gcovr, self.jobs, talk)? {
            Piped::Measured(efficiency) => self.folder.keep_efficiency(&efficiency)?,
            Piped::Interrupted => return Ok(Progress::Interrupted),
            Piped::NoGcovr => talk.warning(&format!(
                "{} is not there: Q3 goes without the paper's pipeline. To have it: pip install gcovr (or \
                 scripts/oracles, and --gcovr target/oracles/gcovr-8.7/bin/gcovr), and run this again",
                self.gcovr.display()
            )),
        }
        Ok(Progress::Done)
    }

    fn suite(
        &self,
        plan: &Plan,
        suite: &Suite,
        tell: &dyn Fn(&str),
        talk: &Talk,
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
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }

    /// None if it was interrupted.
    fn measure(&self, plan: &Plan, suite: &Suite, talk: &Talk) -> anyhow::Result<Option<Outcome>> {
        let mut words = plan.words(suite, self.beside());
        if let Some(jobs) = self.jobs {
            words.splice(1..1, [OsString::from("--jobs"), jobs.to_string().into()]);
        }
        let words = Words::try_parse_from(words).map_err(|error| {
            let message = error.to_string();
            let message = message.lines().next().unwrap_or_default();
            anyhow::anyhow!("{}: {}", self.file.display(), message.trim_start_matches("error: "))
        })?;
        let watch = Stopwatch::start();
        let Some(measured) = words.measure.suite(talk)? else { return Ok(None) };
        let time = watch.time();
        let record = Record::of(suite.name(), &measured);
        if record.measurements.is_empty() {
            bail!("{}: no pair of {} could be measured", self.file.display(), suite.name());
        }
        Ok(Some(Outcome::new(suite, &record, time)))
    }
}
