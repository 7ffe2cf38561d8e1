//! Runs an installed solver on one script.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use metacov_run::RunError;

/// The output of a solver: more is not an answer.
const OUTPUT_BYTES_MAX: u64 = 1 << 20;

/// A command that answers a script.
pub struct SolverProcess<'a> {
    /// The command line; the file of the script is its last argument.
    pub command: &'a str,
    pub timeout: Duration,
}

/// An answer of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverAnswer {
    Sat,
    Unsat,
    /// `unknown`, an error, a time-out, or anything else.
    None,
}

impl SolverProcess<'_> {
    /// Runs a script. A folder of the caller is used for its file.
    pub fn answer(&self, script: &str, folder: &Path) -> Result<SolverAnswer, RunError> {
        let file = folder.join("script.smt2");
        fs::write(&file, script)?;
        let mut words = self.command.split_whitespace();
        let program = words.next().unwrap_or_default();
        let mut command = Command::new(program);
        command.args(words).arg(&file).stdin(Stdio::null()).stderr(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| {
            RunError::Invalid(format!("cannot run the solver `{program}`: {error}"))
        })?;
        let mut stdout = child.stdout.take();
        let (sender, receiver) = channel();
        // It ends when the solver does, or with an output that is too long.
        thread::spawn(move || {
            let mut text = Vec::new();
            let read = stdout.as_mut().map(|out| out.take(OUTPUT_BYTES_MAX).read_to_end(&mut text));
            let _ = sender.send(read.transpose().map(|_: Option<usize>| text));
        });
        let output = match receiver.recv_timeout(self.timeout) {
            Ok(output) => output?,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Vec::new(),
        };
        match child.kill() {
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => return Err(error.into()),
            _ => child.wait()?,
        };
        Ok(match output.trim_ascii() {
            b"sat" => SolverAnswer::Sat,
            b"unsat" => SolverAnswer::Unsat,
            _ => SolverAnswer::None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lone_answer_counts() {
        let folder = tempfile::tempdir().unwrap();
        let answer = |script: &str| {
            let solver = SolverProcess { command: "cat", timeout: Duration::from_secs(10) };
            solver.answer(script, folder.path()).unwrap()
        };
        assert_eq!(answer("sat\n"), SolverAnswer::Sat);
        assert_eq!(answer(" unsat"), SolverAnswer::Unsat);
        for other in ["unknown", "(error \"no\")\nsat", "sat\nunsat", ""] {
            assert_eq!(answer(other), SolverAnswer::None, "{other}");
        }
    }

    #[test]
    fn a_solver_that_hangs_is_ended_and_one_that_does_not_exist_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let hanging = SolverProcess { command: "tail -f", timeout: Duration::from_millis(100) };
        assert_eq!(hanging.answer("", folder.path()).unwrap(), SolverAnswer::None);
        let missing =
            SolverProcess { command: "no-such-solver -q", timeout: Duration::from_secs(1) };
        let error = missing.answer("", folder.path()).unwrap_err().to_string();
        assert!(error.contains("cannot run the solver `no-such-solver`"), "{error}");
    }
}
