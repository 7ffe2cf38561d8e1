//! A target that goes on from input to input, and how to talk to it.
//!
//! Two kinds of processes serve: a program that our runtime stops before its `main`, to fork there
//! for each input; and `metacov load`, which loads a shared library and calls it for each input,
//! in a child or in itself.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use metacov_core::Exit;
use metacov_runtime::{READY, READY_BEFORE};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::message::Request;
use crate::supervise::exit;
use crate::supervisor::{Event, Supervisor, about};

/// What is asked of a process that serves.
#[derive(Clone, Copy)]
pub(crate) enum ServerRequest<'i> {
    /// To run the input that lies here.
    Run(&'i Path),
    /// To run an input in a child.
    RunForked(&'i [u8]),
    /// To run an input itself.
    RunInline(&'i [u8]),
}

/// What has become of an input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It has run, and the session goes on.
    Ran(Exit),
    /// It has run, and has left processes behind: the session should not go on.
    RanAway(Exit),
    /// The session has ended with it.
    Ended(Exit),
    /// It takes too long.
    Late,
}

/// What a process that was started to serve does.
pub(crate) enum Start {
    /// It serves.
    Ready(ForkServer),
    /// It serves by the rules of an earlier version.
    Earlier,
    /// It does not serve: it ended without a word, or said something else.
    NotServing,
}

pub(crate) struct ForkServer {
    requests: File,
    answers: File,
}

impl ForkServer {
    /// Starts a process that serves.
    pub(crate) fn start(
        supervisor: &mut Supervisor,
        command: Vec<OsString>,
        environment: Vec<(OsString, OsString)>,
        limits: &crate::Limits,
        interrupted: &AtomicBool,
    ) -> io::Result<Start> {
        let (their_requests, requests) = pipe_with(PipeFlags::CLOEXEC)?;
        let (answers, their_answers) = pipe_with(PipeFlags::CLOEXEC)?;
        // Inputs have limits; the process as a whole goes on for as long as it is needed.
        let (wall, cpu) = (None, None);
        let (grace, memory_bytes) = (limits.grace, limits.memory_bytes);
        let request = Request { command, environment, wall, grace, cpu, memory_bytes };
        supervisor.spawn(&request, their_requests.as_fd(), Some(their_answers.as_fd()))?;
        drop((their_requests, their_answers));
        let mut session = ForkServer { requests: requests.into(), answers: answers.into() };
        let word = match session.wait(supervisor, limits.wall, interrupted) {
            Ok(Event::Answer) => session.number().ok(),
            Ok(Event::Late) => None,
            Ok(Event::Ended(_)) => return Ok(Start::NotServing),
            Err(error) => return Err(about(&request.command, &error)),
        };
        if word == Some(READY) {
            return Ok(Start::Ready(session));
        }
        supervisor.kill(interrupted)?;
        Ok(if word == Some(READY_BEFORE) { Start::Earlier } else { Start::NotServing })
    }

    /// Has an input run.
    pub(crate) fn ask(
        &mut self,
        question: ServerRequest<'_>,
        supervisor: &mut Supervisor,
        time: Duration,
        interrupted: &AtomicBool,
    ) -> io::Result<Outcome> {
        // If the process is gone, its end will tell; a broken pipe says less.
        let _ = self.send(question);
        let forks = !matches!(question, ServerRequest::RunInline(_));
        if forks {
            match self.wait(supervisor, time, interrupted)? {
                Event::Answer => drop(self.number()?),
                Event::Ended(exit) => return Ok(Outcome::Ended(exit)),
                Event::Late => return Ok(Outcome::Late),
            }
        }
        match self.wait(supervisor, time, interrupted)? {
            Event::Answer if forks => {
                let exit = match exit(ExitStatus::from_raw(self.number()?)) {
                    // What a library returns, as far as it fits into an exit code.
                    Exit::Failure(0xff) if matches!(question, ServerRequest::RunForked(_)) => {
                        Exit::Failure(-1)
                    }
                    exit => exit,
                };
                self.outcome(exit)
            }
            Event::Answer => {
                let exit = match self.number()? {
                    0 => Exit::Success,
                    code => Exit::Failure(code),
                };
                self.outcome(exit)
            }
            Event::Ended(exit) => Ok(Outcome::Ended(exit)),
            Event::Late => Ok(Outcome::Late),
        }
    }

    /// What has become of an input that has run, once it is known what it leaves behind.
    fn outcome(&mut self, exit: Exit) -> io::Result<Outcome> {
        let left_behind = self.number()? != 0;
        Ok(if left_behind { Outcome::RanAway(exit) } else { Outcome::Ran(exit) })
    }

    fn send(&mut self, question: ServerRequest<'_>) -> io::Result<()> {
        let (kind, bytes): (&[u8], &[u8]) = match question {
            ServerRequest::Run(path) => (b"", path.as_os_str().as_bytes()),
            ServerRequest::RunForked(input) => (b"f", input),
            ServerRequest::RunInline(input) => (b"i", input),
        };
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?.to_ne_bytes();
        self.requests.write_all(&[kind, &length, bytes].concat())
    }

    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    fn wait(
        &self,
        supervisor: &mut Supervisor,
        time: Duration,
        interrupted: &AtomicBool,
    ) -> io::Result<Event> {
        supervisor.next(Some(self.answers.as_fd()), Some(Instant::now() + time), interrupted)
    }

    fn number(&mut self) -> io::Result<i32> {
        let mut bytes = [0; 4];
        self.answers.read_exact(&mut bytes)?;
        Ok(i32::from_ne_bytes(bytes))
    }
}
