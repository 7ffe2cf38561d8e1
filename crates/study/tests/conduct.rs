//! Runs studies with scripted tasks and programs: no engine is needed.

use std::cell::RefCell;
use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use metacov_campaign::TrialProgress;
use metacov_core::Suite;
use metacov_run::RunError;
use metacov_study::conduct::{
    PlannedTrial, Selection, Shard, StudyFolder, SuiteTasks, SuitesRun, TaskEnd, TrialEvent,
    TrialFolder, TrialsRun, plan_trials,
};
use metacov_study::{
    BugsPlan, Efficiency, EfficiencyPlan, FileVersion, KnownBugs, MutantsPlan, Study, StudyPlan,
    SuiteSpec, Task,
};

const SUITES: &str = "title = 't'\ntargets = ['sqlite']\nsizes = [1]\nsuites = 2\n\
                      [bugs]\ncorpus = 'bugs.json'\n[efficiency]\npairs = 1\n";
const CAMPAIGNS: &str = "kind = 'campaign'\ntitle = 't'\nengines = ['sqlite']\n\
                         guidances = ['mix', 'mcg']\nrepetitions = 2\npairs = 100\n";

/// Tasks that take no time. The pipeline cannot be run, and suites are interrupted.
#[derive(Default)]
struct Scripted {
    begun: RefCell<Vec<String>>,
}

impl SuiteTasks for Scripted {
    type Error = RunError;

    fn on_task(&self, number: usize, all: usize, task: &Task) {
        let what = match task {
            Task::Suite(suite) => suite.name(),
            Task::Bugs(_) => "bugs".to_owned(),
            Task::Efficiency(_) => "efficiency".to_owned(),
        };
        self.begun.borrow_mut().push(format!("{number}/{all} {what}"));
    }

    fn measure(&self, _: &SuiteSpec, _: Option<&Path>) -> Result<TaskEnd<Suite>, RunError> {
        Ok(TaskEnd::Interrupted)
    }

    fn mutants(&self, _: MutantsPlan, _: &Path) -> Result<TaskEnd<()>, RunError> {
        Ok(TaskEnd::Interrupted)
    }

    fn known_bugs(&self, _: &BugsPlan) -> Result<KnownBugs, RunError> {
        let (overlaps, left_out) = (Vec::new(), Vec::new());
        let corpus = "bugs.json".to_owned();
        Ok(KnownBugs { version: FileVersion, corpus, overlaps, left_out, correlation: None })
    }

    fn efficiency(&self, _: EfficiencyPlan) -> Result<TaskEnd<Efficiency>, RunError> {
        Ok(TaskEnd::Skipped)
    }
}

/// Returns whether all tasks were run, and those that were begun.
fn run_suites(folder: &Path, shard: Shard, repeats_bugs: bool) -> (bool, Vec<String>) {
    let (plan, folder) = (StudyPlan::parse(SUITES).unwrap(), StudyFolder(folder));
    let (plan, name) = (&plan, "study".to_owned());
    let tasks = Scripted::default();
    let is_over = SuitesRun { plan, name, folder, shard, repeats_bugs }.run(&tasks).unwrap();
    (is_over, tasks.begun.into_inner())
}

#[test]
fn tasks_with_a_result_are_skipped_and_an_interrupt_ends_the_study() {
    let folder = tempfile::tempdir().unwrap();
    let all = Shard { part: 1, parts: 1 };
    let (bugs, efficiency, suite) = ("1/4 bugs", "2/4 efficiency", "3/4 sqlite-1-001");
    let expected = |begun: &[&str]| (false, begun.iter().map(ToString::to_string).collect());
    assert_eq!(run_suites(folder.path(), all, false), expected(&[bugs, efficiency, suite]));
    assert_eq!(run_suites(folder.path(), all, false), expected(&[efficiency, suite]));
    assert_eq!(run_suites(folder.path(), all, true), expected(&[bugs, efficiency, suite]));
    let second = Shard { part: 2, parts: 4 };
    assert_eq!(run_suites(folder.path(), second, false), (true, vec!["1/1 efficiency".to_owned()]));
}

#[test]
fn a_folder_keeps_one_study() {
    let folder = tempfile::tempdir().unwrap();
    let folder = StudyFolder(folder.path());
    folder.keep_study("first").unwrap();
    folder.keep_study("first").unwrap();
    let error = folder.keep_study("second").unwrap_err();
    assert!(matches!(&error, RunError::Invalid(what) if what.contains("has another study")));
    assert_eq!(folder.study().unwrap(), "first");
}

fn trials() -> Vec<PlannedTrial> {
    let Study::Campaigns(plan) = Study::parse(CAMPAIGNS).unwrap() else { unreachable!() };
    let builds = AtomicUsize::new(0);
    let build = |_: &str| {
        assert_eq!(builds.fetch_add(1, Relaxed), 0, "an engine is built once");
        Ok::<_, RunError>("b".to_owned())
    };
    plan_trials(&plan, |_| Ok(()), build).unwrap()
}

/// Returns the errors, and the number of reported failures. A shell script replaces
/// `metacov trial`; `$guidance` is what standard input says.
fn run_trials(script: &'static str, workers: usize, interrupted: bool) -> (Vec<String>, usize) {
    let folder = tempfile::tempdir().unwrap();
    let reported = Mutex::new(0);
    let read = r#"guidance=$(sed 's/.*"guidance":"\([a-z]*\)".*/\1/')"#;
    let program = || {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{read}; {script}")]);
        Ok(command)
    };
    let run = TrialsRun {
        folder: TrialFolder(folder.path()),
        observe: false,
        workers: NonZero::new(workers).unwrap(),
        selection: &Selection::ALL,
        program: &program,
        command: "metacov study run",
        interrupted: &AtomicBool::new(interrupted),
    };
    let on_event = |event: TrialEvent<'_>| {
        if let TrialEvent::Failed { .. } = event {
            *reported.lock().unwrap() += 1;
        }
    };
    let failed = run.run(&trials(), &on_event).unwrap();
    (failed.into_values().collect(), reported.into_inner().unwrap())
}

#[test]
fn a_trial_that_fails_does_not_end_the_others() {
    for workers in [1, 3] {
        let script = "echo note: begun >&2; echo error: $guidance is broken >&2; exit 1";
        let (mut failed, reported) = run_trials(script, workers, false);
        failed.sort();
        let broken = ["mcg", "mcg", "mix", "mix"].map(|guidance| format!("{guidance} is broken"));
        assert_eq!((failed, reported), (broken.to_vec(), 4));
    }
}

#[test]
fn an_interrupt_is_not_a_failure() {
    assert_eq!(run_trials("exit 130", 2, false), (Vec::new(), 0));
    assert_eq!(run_trials("exit 1", 2, true), (Vec::new(), 0));
}

#[test]
fn a_missing_progress_file_means_not_begun() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.progress");
    assert_eq!(TrialProgress::read(&path).unwrap(), TrialProgress::default());
    let text = r#"{"pairs":7,"bugs":1,"seconds":1.5,"processor_seconds":1.25,"is_over":true}"#;
    std::fs::write(&path, text).unwrap();
    let (seconds, processor_seconds) = (1.5, 1.25);
    let expected = TrialProgress { pairs: 7, bugs: 1, seconds, processor_seconds, is_over: true };
    assert_eq!(TrialProgress::read(&path).unwrap(), expected);
}
