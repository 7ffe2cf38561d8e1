//! The program under test.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use metacov_core::Exit;

use crate::Limits;
use crate::process;

/// What stands for the input in a command.
const INPUT: &str = "@@";

/// A program that takes one input for each execution.
#[derive(Clone, Debug)]
pub struct Target {
    /// The program and its arguments. `@@` stands for the input file; a command without it gets
    /// the input as its standard input.
    pub command: Vec<OsString>,
    /// How long an execution may take.
    pub limits: Limits,
    /// Set when all executions should end.
    pub interrupted: Arc<AtomicBool>,
}

impl Target {
    /// Runs the program on an input; counters go below `prefix`.
    pub(crate) fn run(&self, input: &Path, prefix: &Path) -> io::Result<Exit> {
        let [program, arguments @ ..] = &self.command[..] else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no program to run"));
        };
        let takes_file = arguments.iter().any(|argument| holds_input(argument));
        let stdin = if takes_file { Stdio::null() } else { File::open(input)?.into() };
        let mut command = Command::new(program);
        command.args(arguments.iter().map(|argument| with_input(argument, input)));
        command.stdin(stdin).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("GCOV_PREFIX", prefix).env_remove("GCOV_PREFIX_STRIP");
        process::run(&mut command, &self.limits, &self.interrupted).map_err(|error| {
            let program = Path::new(program).display();
            io::Error::new(error.kind(), format!("{program}: {error}"))
        })
    }
}

fn holds_input(argument: &OsStr) -> bool {
    argument.to_str().is_some_and(|argument| argument.contains(INPUT))
}

fn with_input(argument: &OsStr, input: &Path) -> OsString {
    match argument.to_str().and_then(|argument| argument.split_once(INPUT)) {
        Some((before, after)) => {
            let mut argument = OsString::from(before);
            argument.push(input);
            argument.push(after);
            argument
        }
        None => argument.to_owned(),
    }
}
