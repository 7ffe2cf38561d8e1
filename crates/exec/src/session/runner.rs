//! The executions of one worker thread: the sides of groups, one input after the other.

use std::io;
use std::num::NonZero;

use metacov_core::{BuildMismatch, Exit, Failure, Missing, Reading, SideOutput};
use metacov_formats::{CoverageLoader, Fault};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::fork_server::ForkServerSession;
use super::invocation::Invocation;
use super::per_input::PerInputSession;
use super::program::{Mode, Program};
use super::{NoCounters, ProcessSession};
use crate::error::ExecError;
use crate::process::captured_output::CapturedOutput;
use crate::process::not_run::{NotRun, RETRY_PAUSES};
use crate::process::supervisor::Ended;

/// The results of the executions of a side.
pub struct SideRun {
    /// Their reading, or why there is none.
    pub reading: Result<Reading, Missing>,
    /// Their outputs, if the program's output is kept: up to the execution that failed.
    pub output: Option<SideOutput>,
}

/// Runs sides, one at a time. Servers and shared memory are kept from one side to the next.
pub struct ProcessRunner {
    /// The number of the worker.
    number: usize,
    is_pinned: bool,
    /// By mode: in fork mode, some sides may need a new process.
    sessions: Vec<(Mode, Box<dyn ProcessSession>)>,
}

impl ProcessRunner {
    /// The runner of the worker of this number. It belongs to one thread.
    pub fn new(number: usize) -> Self {
        ProcessRunner { number, is_pinned: false, sessions: Vec::new() }
    }

    /// Runs all inputs of a side, each `repeat` times, and unites their coverage. Outputs are those
    /// of the first time.
    pub fn run_side(
        &mut self,
        program: &Program,
        invocations: &[Invocation],
        repeat: NonZero<u32>,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<SideRun, ExecError> {
        let mut side: Option<Reading> = None;
        let mut output = program.keeps_output.then(SideOutput::default);
        for invocation in invocations {
            let reading = self.repeat(program, invocation, repeat, output.as_mut(), loader)?;
            match (reading, &mut side) {
                (Ok(reading), Some(side)) => side.unite(&reading),
                (Ok(reading), None) => side = Some(reading),
                (Err(missing), _) => return Ok(SideRun { reading: Err(missing), output }),
            }
        }
        let reading = Ok(side.unwrap_or_else(|| Reading::of(loader.table())));
        Ok(SideRun { reading, output })
    }

    /// Runs one input `repeat` times.
    fn repeat(
        &mut self,
        program: &Program,
        invocation: &Invocation,
        repeat: NonZero<u32>,
        output: Option<&mut SideOutput>,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, Missing>, ExecError> {
        let mut all = self.execute(program, invocation, output, loader)?;
        for _ in 1..repeat.get() {
            let Ok(reading) = &mut all else { break };
            match self.execute(program, invocation, None, loader)? {
                Ok(other) => reading.repeat(&other),
                Err(missing) => all = Err(missing),
            }
        }
        Ok(all)
    }

    /// Runs one input once, and adds to the output.
    fn execute(
        &mut self,
        program: &Program,
        invocation: &Invocation,
        output: Option<&mut SideOutput>,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, Missing>, ExecError> {
        let named = |error: ExecError| error.of(invocation.name());
        if let Some(path) = program.rebuilt() {
            let mismatch = BuildMismatch { place: "the program's file".to_owned() };
            let earlier = "the run so far".to_owned();
            return Err(Fault::OtherBuild { earlier, mismatch }
                .of(path.display().to_string())
                .into());
        }
        let session = self.session(program, invocation).map_err(|error| named(error.into()))?;
        let ended = match run(session, program, invocation) {
            Err(ExecError::NotRun(reason)) => {
                session.clear().map_err(|error| named(error.into()))?;
                let (failure, exit) = (Failure::NotRun, Exit::Success);
                return Ok(Err(Missing { failure, exit, output_tail: reason.to_string() }));
            }
            ended => ended.map_err(named)?,
        };
        let ended = Ended { output: output_text(session, program, ended.output)?, ..ended };
        if let Some(output) = output {
            let (content, bytes) = session.output().map_err(|error| named(error.into()))?;
            output.exits.push(ended.exit);
            // Nothing is appended after a part that was cut.
            if !output.is_cut() {
                output.content.extend(content);
            }
            output.bytes += bytes;
        }
        let failure = match ended.exit {
            Exit::Signalled(_) => Some(Failure::Crashed),
            Exit::Timeout => Some(Failure::TimedOut),
            // libFuzzer's interface: a library returns -1 to reject an input.
            Exit::Failure(-1) => Some(Failure::Invalid),
            Exit::Success if !program.is_valid(0) => Some(Failure::Invalid),
            Exit::Failure(code) if !program.is_valid(code) => Some(Failure::Invalid),
            Exit::Success | Exit::Failure(_) => None,
        };
        let missing =
            |failure| Missing { failure, exit: ended.exit, output_tail: ended.output.clone() };
        let reading = match failure {
            Some(failure) => Err(missing(failure)),
            None => match session.read(loader) {
                Ok(Ok(reading)) => Ok(reading),
                Ok(Err(NoCounters::None)) => Err(missing(Failure::NoCounters)),
                Ok(Err(NoCounters::TooMany)) => {
                    let what = "its counters do not fit into memory (does it fork very often?)";
                    Err(Missing { output_tail: what.to_owned(), ..missing(Failure::NoCounters) })
                }
                // The counters of this execution are wrong; the build may be right.
                Err(error) if matches!(error.fault, Fault::Inconsistent { .. }) => {
                    Err(Missing { output_tail: error.to_string(), ..missing(Failure::Invalid) })
                }
                Err(error) => return Err(error.into()),
            },
        };
        session.clear().map_err(|error| named(error.into()))?;
        Ok(reading)
    }

    /// The session for an invocation, started if it is the first of its mode.
    fn session(
        &mut self,
        program: &Program,
        invocation: &Invocation,
    ) -> io::Result<&mut dyn ProcessSession> {
        let mode = program.mode_of(invocation);
        // Programs are not pinned: they see the number of processors, and may run different code
        // for it.
        if program.is_library() && !self.is_pinned {
            pin(self.number);
            self.is_pinned = true;
        }
        let known = self.sessions.iter().position(|(of, _)| *of == mode);
        let at = known.unwrap_or(self.sessions.len());
        if known.is_none() {
            let session: Box<dyn ProcessSession> = match mode {
                Mode::Exec => Box::new(PerInputSession::new()?),
                Mode::Fork | Mode::Inline => Box::new(ForkServerSession::new()?),
            };
            self.sessions.push((mode, session));
        }
        Ok(&mut *self.sessions[at].1)
    }
}

/// The text of an execution for messages: standard error or, if that is empty, what is kept of the
/// standard output.
fn output_text(
    session: &dyn ProcessSession,
    program: &Program,
    captured: String,
) -> io::Result<String> {
    if !program.keeps_output || !captured.trim().is_empty() {
        return Ok(captured);
    }
    let mut text = CapturedOutput::default();
    text.drain(&mut &session.output()?.0[..])?;
    Ok(text.text())
}

/// Runs a program once. While the system cannot start a process, waits and tries again.
fn run(
    session: &mut dyn ProcessSession,
    program: &Program,
    invocation: &Invocation,
) -> Result<Ended, ExecError> {
    for pause in RETRY_PAUSES {
        match session.run(program, invocation) {
            Err(ExecError::NotRun(NotRun::NoRoom(_))) => {}
            other => return other,
        }
        session.clear()?;
        std::thread::sleep(pause);
    }
    session.run(program, invocation)
}

/// Pins this thread, and the processes that it will start, to one processor. A server and the
/// thread that reads its counters take turns, so they lose no time, and the counters stay in that
/// processor's cache: a fifth less time on SQLite.
fn pin(number: usize) {
    let Ok(allowed) = sched_getaffinity(None) else { return };
    let processors: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
    let Some(processor) = processors.get(number % processors.len().max(1)) else { return };
    let mut only = CpuSet::new();
    only.set(*processor);
    // Without it, execution is slower, not wrong.
    let _ = sched_setaffinity(None, &only);
}
