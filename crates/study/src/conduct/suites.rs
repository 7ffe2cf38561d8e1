//! The tasks of a study of suites, one after the other. Tasks that have a result are skipped.

use std::path::{Path, PathBuf};

use metacov_core::Suite;
use metacov_run::RunError;
use metacov_store::Run;

use super::{Shard, Stopwatch, StudyFolder};
use crate::{
    BugsPlan, Efficiency, EfficiencyPlan, KnownBugs, MutantsPlan, StudyPlan, SuiteMutants,
    SuiteNumbers, SuiteResult, SuiteSpec, Task,
};

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEnd<T> {
    /// It is complete.
    Done(T),
    /// It cannot be done here, and the study continues without it.
    Skipped,
    /// It was interrupted.
    Interrupted,
}

impl TaskEnd<Suite> {
    /// The end of a suite of `planned` groups: it was interrupted if some are missing.
    pub fn of(suite: Suite, planned: u64) -> Self {
        let is_whole = suite.total().all_groups() == planned;
        if is_whole { TaskEnd::Done(suite) } else { TaskEnd::Interrupted }
    }
}

/// Runs the tasks of a study.
pub trait SuiteTasks {
    /// Why a task failed.
    type Error: From<RunError>;

    /// Called before a task, with its number from one and the number of all tasks.
    fn on_task(&self, number: usize, all: usize, task: &Task);

    /// Measures a suite. With a run file, its pairs are stored there, and those that are there already are not
    /// measured again.
    fn measure(
        &self,
        suite: &SuiteSpec,
        run_file: Option<&Path>,
    ) -> Result<TaskEnd<Suite>, Self::Error>;

    /// Runs the pairs of a run file with mutants, and stores what becomes of these in the file.
    fn mutants(&self, plan: MutantsPlan, run_file: &Path) -> Result<TaskEnd<()>, Self::Error>;

    /// Runs the pairs of known bugs.
    fn known_bugs(&self, bugs: &BugsPlan) -> Result<KnownBugs, Self::Error>;

    /// Runs the gcovr pipeline on a sample.
    fn efficiency(&self, sample: EfficiencyPlan) -> Result<TaskEnd<Efficiency>, Self::Error>;
}

/// A study of suites to run.
pub struct SuitesRun<'s> {
    /// The study.
    pub plan: &'s StudyPlan,
    /// Its name in messages.
    pub name: String,
    /// The folder for the results.
    pub folder: StudyFolder<'s>,
    /// Which of the tasks are run.
    pub shard: Shard,
    /// Whether known bugs are run even if there are results, which may be of another corpus.
    pub repeats_bugs: bool,
}

impl SuitesRun<'_> {
    /// Runs all tasks. Returns false if it was interrupted.
    pub fn run<T: SuiteTasks>(&self, tasks: &T) -> Result<bool, T::Error> {
        let all: Vec<Task> = self.shard.of(self.plan.tasks()).collect();
        for (number, task) in (1..).zip(&all) {
            if self.is_done(task)? {
                continue;
            }
            tasks.on_task(number, all.len(), task);
            if self.task(task, tasks)? == TaskEnd::Interrupted {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_done(&self, task: &Task) -> Result<bool, RunError> {
        match task {
            Task::Bugs(_) => Ok(!self.repeats_bugs && self.folder.bugs()?.is_some()),
            Task::Efficiency(sample) => {
                let known = self.folder.efficiency()?;
                Ok(known.is_some_and(|known| known.pairs.len() as u64 >= sample.pairs))
            }
            Task::Suite(suite) => match self.folder.outcome(&suite.name())? {
                Some(known) if known.seed != suite.seed => {
                    let what = format!("{} was measured with another seed", suite.name());
                    Err(RunError::Invalid(what))
                }
                known => Ok(known.is_some_and(|known| self.has_mutants(&known))),
            },
        }
    }

    fn task<T: SuiteTasks>(&self, task: &Task, tasks: &T) -> Result<TaskEnd<()>, T::Error> {
        match task {
            Task::Bugs(bugs) => self.folder.keep_bugs(&tasks.known_bugs(bugs)?)?,
            Task::Efficiency(sample) => match tasks.efficiency(*sample)? {
                TaskEnd::Done(efficiency) => self.folder.keep_efficiency(&efficiency)?,
                TaskEnd::Skipped => return Ok(TaskEnd::Skipped),
                TaskEnd::Interrupted => return Ok(TaskEnd::Interrupted),
            },
            Task::Suite(suite) => return self.suite(suite, tasks),
        }
        Ok(TaskEnd::Done(()))
    }

    /// Measures a suite, and runs it with mutants if the plan has any. The numbers are stored before that, because the
    /// time of a suite that is continued would not be its time.
    fn suite<T: SuiteTasks>(&self, suite: &SuiteSpec, tasks: &T) -> Result<TaskEnd<()>, T::Error> {
        let name = suite.name();
        let run_file = self.plan.mutants.map(|_| self.folder.run_file(&name)).transpose()?;
        let known = self.folder.outcome(&name).map_err(RunError::from)?;
        let is_stored = |path: &PathBuf| path.exists();
        let mut result = match known.filter(|_| run_file.as_ref().is_some_and(is_stored)) {
            Some(known) => known,
            None => match self.measure(suite, run_file.as_deref(), tasks)? {
                TaskEnd::Done(result) => result,
                TaskEnd::Skipped => return Ok(TaskEnd::Skipped),
                TaskEnd::Interrupted => return Ok(TaskEnd::Interrupted),
            },
        };
        let (Some(plan), Some(path)) = (self.plan.mutants, run_file) else {
            return Ok(TaskEnd::Done(()));
        };
        let end = tasks.mutants(plan, &path)?;
        if end == TaskEnd::Done(()) {
            let run = Run::open(&path).map_err(RunError::from)?;
            let mutants = run.mutants().map_err(RunError::from)?.unwrap_or_default();
            let suite = run.suite().map_err(RunError::from)?.0;
            result.mutants = Some(SuiteMutants::of(&mutants, &suite));
            self.folder.keep_outcome(&result)?;
        }
        Ok(end)
    }

    fn measure<T: SuiteTasks>(
        &self,
        suite: &SuiteSpec,
        run_file: Option<&Path>,
        tasks: &T,
    ) -> Result<TaskEnd<SuiteResult>, T::Error> {
        let watch = Stopwatch::start();
        let measured = match tasks.measure(suite, run_file)? {
            TaskEnd::Done(measured) => measured,
            TaskEnd::Skipped => return Ok(TaskEnd::Skipped),
            TaskEnd::Interrupted => return Ok(TaskEnd::Interrupted),
        };
        let time = watch.time();
        let numbers = SuiteNumbers::of(suite.name(), &measured);
        if numbers.measurements.is_empty() {
            let what = format!("{}: no pair of {} could be measured", self.name, suite.name());
            return Err(RunError::Invalid(what).into());
        }
        let result = SuiteResult::new(suite, &numbers, time);
        self.folder.keep_outcome(&result)?;
        Ok(TaskEnd::Done(result))
    }

    /// Whether a result has all that the plan asks for.
    fn has_mutants(&self, result: &SuiteResult) -> bool {
        self.plan.mutants.is_none() || result.mutants.is_some()
    }
}
