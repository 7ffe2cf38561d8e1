//! A session of a solver: each input is a script, which a new process answers.

use std::ffi::OsString;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use metacov_core::{Exit, Facts, Input, Outcome, Value};
use metacov_exec::{
    ContainedRun, InputProcesses, Limits, Mark, OpenOptions, Session, end_by, run_forked,
    run_program, shared_file, used_processor_time,
};

use super::answers::{Conclusion, NoAnswer, conclude, questions};
use super::library::SolverLibrary;
use super::seeds;

/// The file of the script, in the worker's own folder. Its name is always the same, because solvers
/// print it.
const SCRIPT: &str = "input.smt2";

/// Stands for the script in arguments.
const PLACEHOLDER: &str = "@@";

/// Between a request to end and the end of a solver that takes too long.
const GRACE: Duration = Duration::from_millis(200);

/// The limit of a solver is processor time, so that other work on the machine does not change what
/// it decides. One that waits is ended after this many times as much wall-clock time.
const WALL_FACTOR: u32 = 10;

/// How many times the longest processor time of an earlier input an input of a test may take, and
/// what it may take in any case.
const TIME_FACTOR: u32 = 20;
const ADAPTED_MIN: Duration = Duration::from_secs(1);

/// What executes a solver.
pub(super) enum Executor {
    /// Its program.
    Program {
        /// The program and its arguments.
        command: Vec<OsString>,
        /// Variables to add to the environment.
        environment: Vec<(OsString, OsString)>,
    },
    /// Its `main` function in a library.
    Library(SolverLibrary, Vec<OsString>),
}

/// A solver, and how it does on the current test.
pub(super) struct SessionSolver {
    /// Its name, if there are several.
    pub(super) name: String,
    pub(super) executor: Executor,
    pub(super) effort: TestEffort,
}

/// How long a solver has taken for the inputs of a test so far.
#[derive(Default)]
pub(super) struct TestEffort {
    /// The longest processor time of an input.
    longest: Duration,
    /// Whether an input took too long.
    is_late: bool,
}

impl TestEffort {
    /// The time limit of the next input. A test whose seeds are solved at once gets little time, so
    /// that a few hard ones do not take most of the time of a campaign.
    fn limit(&self, time_max: Duration) -> Duration {
        let adapted = self.longest.saturating_mul(TIME_FACTOR).max(ADAPTED_MIN);
        if self.longest.is_zero() { time_max } else { adapted.min(time_max) }
    }
}

pub(super) struct SolverSession {
    /// The tested solver, then those that it is compared with.
    solvers: Vec<SessionSolver>,
    time_max: Duration,
    facts: Facts,
    slow: SlowScripts,
}

impl SolverSession {
    /// Opens a solver of this name, which decides these logics (empty: all).
    pub(super) fn new(
        name: &str,
        logics: &[&str],
        solvers: Vec<SessionSolver>,
        options: &OpenOptions<'_>,
    ) -> io::Result<Self> {
        let mut facts = Facts::from([("solver".to_owned(), name.to_owned())]);
        if !logics.is_empty() {
            facts.insert("logics".to_owned(), logics.join(" "));
        }
        if let Some(folder) = options.seeds {
            facts.extend(seeds::read(folder)?);
        }
        let slow = SlowScripts { file: shared_file()? };
        Ok(SolverSession { solvers, time_max: options.time_max, facts, slow })
    }

    /// Runs a script on the solver at a position. A crash of the tested solver ends this process; one
    /// of another is no answer.
    fn answer(&mut self, at: usize, script: &str) -> io::Result<Outcome> {
        let Self { solvers, time_max, slow, .. } = self;
        let SessionSolver { executor, effort, .. } = &mut solvers[at];
        if effort.is_late || slow.contain(at, script)? {
            effort.is_late = true;
            let (code, message) = (NoAnswer::TimedOut as i32, "no answer before".to_owned());
            return Ok(Outcome::Error { code, message });
        }
        let limit = effort.limit(*time_max);
        let before = used_processor_time();
        let run = executor.execute(script, limit)?;
        effort.longest = effort.longest.max(used_processor_time().saturating_sub(before));
        match conclude(&run, questions(script), limit) {
            Conclusion::Outcome(outcome) => {
                if matches!(outcome, Outcome::Error { code, .. } if code == NoAnswer::TimedOut as i32)
                {
                    effort.is_late = true;
                    slow.add(at, script)?;
                }
                Ok(outcome)
            }
            Conclusion::Crashed(signal) if at == 0 => {
                io::stderr().write_all(&run.stderr)?;
                end_by(signal)
            }
            Conclusion::Crashed(signal) => {
                let message = format!("ended by signal {signal}");
                Ok(Outcome::Error { code: NoAnswer::Error as i32, message })
            }
        }
    }
}

impl Executor {
    fn execute(&self, script: &str, time_max: Duration) -> io::Result<ContainedRun> {
        std::fs::write(SCRIPT, script)?;
        let limits = Limits {
            wall: time_max.saturating_mul(WALL_FACTOR),
            grace: GRACE,
            cpu: Some(time_max),
            memory_bytes: None,
        };
        match self {
            Executor::Program { command, environment } => {
                let command = with_script(command);
                let named = |error: io::Error| {
                    let program = command.first().map_or(Path::new(""), Path::new);
                    io::Error::new(error.kind(), format!("{}: {error}", program.display()))
                };
                run_program(&command, environment, &limits).map_err(named)
            }
            Executor::Library(library, arguments) => {
                let arguments = with_script(arguments);
                run_forked(&limits, || library.main(&arguments))
            }
        }
    }
}

/// The outcomes of several solvers as one: rows with the name and the answer of each. One that has no
/// answer answers `unknown`; if none has, the outcome is that of the first.
fn combined(outcomes: Vec<(&str, Outcome)>) -> Outcome {
    let questions = outcomes.iter().find_map(|(_, outcome)| match outcome {
        Outcome::Rows(rows) => Some(rows.len()),
        Outcome::Error { .. } => None,
    });
    let Some(questions) = questions else {
        return outcomes.into_iter().next().map_or(Outcome::Rows(Vec::new()), |(_, first)| first);
    };
    let unknown = || vec![Value::Text(b"unknown".to_vec())];
    let answer = |outcome: &Outcome, at: usize| match outcome {
        Outcome::Rows(rows) => rows.get(at).cloned().unwrap_or_else(unknown),
        Outcome::Error { .. } => unknown(),
    };
    let named = |(name, outcome): &(&str, Outcome), at: usize| {
        let mut pair = vec![Value::Text(name.as_bytes().to_vec())];
        pair.extend(answer(outcome, at));
        pair
    };
    let row = |at| outcomes.iter().flat_map(|solver| named(solver, at)).collect();
    Outcome::Rows((0..questions).map(row).collect())
}

/// The words with the script in the place of the placeholder, or at the end if there is none.
fn with_script(words: &[OsString]) -> Vec<OsString> {
    let is_placeholder = |word: &OsString| word == PLACEHOLDER;
    let end = (!words.iter().any(is_placeholder)).then(|| SCRIPT.into());
    let word = |word: &OsString| if is_placeholder(word) { SCRIPT.into() } else { word.clone() };
    words.iter().map(word).chain(end).collect()
}

impl Session for SolverSession {
    fn facts(&self) -> Facts {
        self.facts.clone()
    }

    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn begin_test(&mut self) {
        self.solvers.iter_mut().for_each(|solver| solver.effort = TestEffort::default());
    }

    fn run(&mut self, input: &Input) -> io::Result<Outcome> {
        let script = script(input);
        if self.solvers.len() == 1 {
            return self.answer(0, &script);
        }
        let outcomes = (0..self.solvers.len()).map(|at| self.answer(at, &script));
        let outcomes = outcomes.collect::<io::Result<Vec<_>>>()?;
        let names = self.solvers.iter().map(|solver| solver.name.as_str());
        Ok(combined(names.zip(outcomes).collect()))
    }

    fn input_processes(&mut self) -> Option<&mut dyn InputProcesses> {
        match &self.solvers[..] {
            [SessionSolver { executor: Executor::Library(..), .. }] => Some(self),
            _ => None,
        }
    }

    /// Each input has a new process, so there is nothing to keep.
    fn keep(&mut self, _: Mark) -> io::Result<()> {
        Ok(())
    }

    fn restore(&mut self, _: Mark) -> io::Result<()> {
        Ok(())
    }
}

fn script(input: &Input) -> String {
    metacov_methods::SMT.language().script(&input.statements)
}

impl InputProcesses for SolverSession {
    fn prepare(&mut self, input: &Input) -> io::Result<()> {
        std::fs::write(SCRIPT, script(input))
    }

    fn run_here(&mut self) -> i32 {
        match &self.solvers[0].executor {
            Executor::Library(library, arguments) => library.main(&with_script(arguments)),
            Executor::Program { .. } => 1,
        }
    }

    fn outcome(&self, input: &Input, code: u8, printed: &[u8]) -> Option<Outcome> {
        let exit = if code == 0 { Exit::Success } else { Exit::Failure(code.into()) };
        let run = ContainedRun { exit, stdout: printed.to_vec(), stderr: Vec::new() };
        match conclude(&run, questions(&script(input)), self.time_max) {
            Conclusion::Outcome(outcome) => Some(outcome),
            Conclusion::Crashed(_) => None,
        }
    }
}

/// The scripts that took too long, which are not run again: a seed that is too hard would take its
/// time in each test that it is part of. A file, because each state has its own process.
struct SlowScripts {
    file: File,
}

impl SlowScripts {
    fn contain(&self, solver: usize, script: &str) -> io::Result<bool> {
        let (mut file, mut all) = (self.file.try_clone()?, Vec::new());
        file.rewind()?;
        file.read_to_end(&mut all)?;
        Ok(all.as_chunks::<8>().0.contains(&digest(solver, script)))
    }

    fn add(&self, solver: usize, script: &str) -> io::Result<()> {
        let mut file = self.file.try_clone()?;
        file.seek(io::SeekFrom::End(0))?;
        file.write_all(&digest(solver, script))
    }
}

fn digest(solver: usize, script: &str) -> [u8; 8] {
    let mut hasher = DefaultHasher::new();
    (solver, script).hash(&mut hasher);
    hasher.finish().to_ne_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_replaces_its_placeholder() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(with_script(&words(&["z3", "@@", "-st"])), words(&["z3", SCRIPT, "-st"]));
        assert_eq!(with_script(&words(&["z3", "-smt2"])), words(&["z3", "-smt2", SCRIPT]));
    }

    #[test]
    fn slow_scripts_are_remembered() {
        let slow = SlowScripts { file: shared_file().unwrap() };
        assert!(!slow.contain(0, "a").unwrap());
        slow.add(0, "a").unwrap();
        slow.add(1, "b").unwrap();
        assert!(slow.contain(0, "a").unwrap() && slow.contain(1, "b").unwrap());
        assert!(!slow.contain(0, "b").unwrap() && !slow.contain(0, "c").unwrap());
    }

    #[test]
    fn time_limits_follow_the_inputs_of_a_test() {
        let [second, minute] = [1, 60].map(Duration::from_secs);
        let limit = |longest, time_max| TestEffort { longest, is_late: false }.limit(time_max);
        assert_eq!(limit(Duration::ZERO, minute), minute);
        assert_eq!(limit(Duration::from_millis(1), minute), ADAPTED_MIN);
        assert_eq!(limit(second, minute), second * TIME_FACTOR);
        assert_eq!(limit(second, second), second);
        assert_eq!(limit(Duration::from_millis(1), second / 2), second / 2);
    }

    #[test]
    fn answers_of_several_solvers_are_one_row() {
        let rows = |answer: &str| Outcome::Rows(vec![vec![Value::Text(answer.into())]]);
        let error = || Outcome::Error { code: 4, message: String::new() };
        let row = |words: &[&str]| {
            Outcome::Rows(vec![words.iter().map(|word| Value::Text((*word).into())).collect()])
        };
        let both = combined(vec![("z3", rows("sat")), ("cvc4", rows("unsat"))]);
        assert_eq!(both, row(&["z3", "sat", "cvc4", "unsat"]));
        let one = combined(vec![("z3", error()), ("cvc4", rows("sat"))]);
        assert_eq!(one, row(&["z3", "unknown", "cvc4", "sat"]));
        assert_eq!(combined(vec![("z3", error()), ("cvc4", error())]), error());
    }
}
