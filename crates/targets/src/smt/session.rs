//! A session of a solver: each input is a script, which a new process answers.

use std::ffi::OsString;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use metacov_core::{Facts, Input, Outcome};
use metacov_exec::{
    ContainedRun, Limits, Mark, OpenOptions, Session, end_by, run_forked, run_program, shared_file,
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

pub(super) struct SolverSession {
    executor: Executor,
    time_max: Duration,
    facts: Facts,
    slow: SlowScripts,
}

impl SolverSession {
    /// Opens a solver of this name, which decides these logics (empty: all).
    pub(super) fn new(
        name: &str,
        logics: &[&str],
        executor: Executor,
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
        Ok(SolverSession { executor, time_max: options.time_max, facts, slow })
    }

    fn execute(&self, script: &str) -> io::Result<ContainedRun> {
        std::fs::write(SCRIPT, script)?;
        let limits = Limits {
            wall: self.time_max.saturating_mul(WALL_FACTOR),
            grace: GRACE,
            cpu: Some(self.time_max),
            memory_bytes: None,
        };
        match &self.executor {
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

    fn run(&mut self, input: &Input) -> io::Result<Outcome> {
        let script = metacov_methods::SMT.language().script(&input.statements);
        if self.slow.contain(&script)? {
            let (code, message) = (NoAnswer::TimedOut as i32, "no answer before".to_owned());
            return Ok(Outcome::Error { code, message });
        }
        let run = self.execute(&script)?;
        match conclude(&run, questions(&script), self.time_max) {
            Conclusion::Outcome(outcome) => {
                if matches!(outcome, Outcome::Error { code, .. } if code == NoAnswer::TimedOut as i32)
                {
                    self.slow.add(&script)?;
                }
                Ok(outcome)
            }
            Conclusion::Crashed(signal) => {
                io::stderr().write_all(&run.stderr)?;
                end_by(signal)
            }
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

/// The scripts that took too long, which are not run again: a seed that is too hard would take its
/// time in each test that it is part of. A file, because each state has its own process.
struct SlowScripts {
    file: File,
}

impl SlowScripts {
    fn contain(&self, script: &str) -> io::Result<bool> {
        let (mut file, mut all) = (self.file.try_clone()?, Vec::new());
        file.rewind()?;
        file.read_to_end(&mut all)?;
        Ok(all.as_chunks::<8>().0.contains(&digest(script)))
    }

    fn add(&self, script: &str) -> io::Result<()> {
        let mut file = self.file.try_clone()?;
        file.seek(io::SeekFrom::End(0))?;
        file.write_all(&digest(script))
    }
}

fn digest(script: &str) -> [u8; 8] {
    let mut hasher = DefaultHasher::new();
    script.hash(&mut hasher);
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
        assert!(!slow.contain("a").unwrap());
        slow.add("a").unwrap();
        slow.add("b").unwrap();
        assert!(slow.contain("a").unwrap() && slow.contain("b").unwrap());
        assert!(!slow.contain("c").unwrap());
    }
}
