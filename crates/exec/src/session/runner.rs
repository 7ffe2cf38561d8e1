//! The executions of one worker thread: the sides of groups, one input after the other.

use std::io;
use std::num::NonZero;

use metacov_core::{
    BuildMismatch, Cover, Exit, Failure, Missing, Reading, SideOutput, StoredInput,
};
use metacov_formats::{CoverageLoader, Error, Fault};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::fork_server::ForkServerSession;
use super::invocation::{Execution, Invocation};
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
    pub reading: Result<SideReading, Missing>,
    /// Their outputs, if the program's output is kept: up to the execution that failed.
    pub output: Option<SideOutput>,
}

/// The reading of a side.
#[derive(Debug)]
pub enum SideReading {
    /// It is complete.
    Complete(Reading),
    /// The counters of its only execution were taken, and which sites ran is not known yet:
    /// [`CoverageLoader::solve`] returns it.
    Taken(TakenSide),
}

/// A side whose counters were taken.
#[derive(Debug)]
pub struct TakenSide {
    reading: Reading,
    exit: Exit,
}

impl TakenSide {
    /// Its reading, once its counters are solved; or why it has none.
    pub fn complete(self, solved: Result<Cover, Error>) -> Result<Result<Reading, Missing>, Error> {
        let TakenSide { mut reading, exit } = self;
        Ok(match solved {
            Ok(executed) => {
                reading.executed |= &executed;
                Ok(reading)
            }
            Err(error) => Err(inconsistent(exit, error)?),
        })
    }
}

/// Why a side has no reading, if its counters are wrong. The build may be right.
fn inconsistent(exit: Exit, error: Error) -> Result<Missing, Error> {
    if !matches!(error.fault, Fault::Inconsistent { .. }) {
        return Err(error);
    }
    Ok(Missing { failure: Failure::Invalid, exit, output_tail: error.to_string() })
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
    /// of the first time. `inputs` are the stored inputs of the side, or empty.
    pub fn run_side(
        &mut self,
        program: &Program,
        invocations: &[Invocation],
        inputs: &[StoredInput],
        repeat: NonZero<u32>,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<SideRun, ExecError> {
        let mut output = program.keeps_output.then(SideOutput::default);
        if let ([invocation], 1) = (invocations, repeat.get()) {
            let execution = Execution::of(invocation, inputs.first());
            let reading = self.run_alone(program, &execution, output.as_mut(), loader)?;
            return Ok(SideRun { reading, output });
        }
        let mut side: Option<Reading> = None;
        for invocation in invocations {
            let execution = Execution::of(invocation, None);
            let reading = self.repeat(program, &execution, repeat, output.as_mut(), loader)?;
            match (reading, &mut side) {
                (Ok(reading), Some(side)) => side.unite(&reading),
                (Ok(reading), None) => side = Some(reading),
                (Err(missing), _) => return Ok(SideRun { reading: Err(missing), output }),
            }
        }
        let reading = side.unwrap_or_else(|| Reading::of(loader.table()));
        Ok(SideRun { reading: Ok(SideReading::Complete(reading)), output })
    }

    /// Runs the only input of a side once.
    fn run_alone(
        &mut self,
        program: &Program,
        execution: &Execution<'_>,
        output: Option<&mut SideOutput>,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<Result<SideReading, Missing>, ExecError> {
        let ended = match self.execute(program, execution, output)? {
            Ok(ended) => ended,
            Err(missing) => return Ok(Err(missing)),
        };
        let session = self.session(program, execution)?;
        if loader.has_room()
            && let Some(reading) = session.take(loader).map_err(|error| execution.named(error))?
        {
            return Ok(Ok(SideReading::Taken(TakenSide { reading, exit: ended.exit })));
        }
        Ok(self.read(program, execution, ended, loader)?.map(SideReading::Complete))
    }

    /// Runs one input `repeat` times.
    fn repeat(
        &mut self,
        program: &Program,
        execution: &Execution<'_>,
        repeat: NonZero<u32>,
        mut output: Option<&mut SideOutput>,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, Missing>, ExecError> {
        let mut all: Option<Reading> = None;
        for _ in 0..repeat.get() {
            let reading = match self.execute(program, execution, output.take())? {
                Ok(ended) => self.read(program, execution, ended, loader)?,
                Err(missing) => Err(missing),
            };
            match (reading, &mut all) {
                (Ok(reading), Some(all)) => all.repeat(&reading),
                (Ok(reading), None) => all = Some(reading),
                (Err(missing), _) => return Ok(Err(missing)),
            }
        }
        Ok(Ok(all.unwrap_or_else(|| Reading::of(loader.table()))))
    }

    /// Runs one input once, and adds to the output. Returns how it ended, if that is no failure; its
    /// counters are left.
    fn execute(
        &mut self,
        program: &Program,
        execution: &Execution<'_>,
        output: Option<&mut SideOutput>,
    ) -> Result<Result<Ended, Missing>, ExecError> {
        if let Some(path) = program.rebuilt() {
            let mismatch = BuildMismatch { place: "the program's file".to_owned() };
            let earlier = "the run so far".to_owned();
            return Err(Fault::OtherBuild { earlier, mismatch }
                .of(path.display().to_string())
                .into());
        }
        let session = self.session(program, execution)?;
        let ended = match run(session, program, execution) {
            Err(ExecError::NotRun(reason)) => {
                session.clear().map_err(|error| execution.named(error))?;
                let (failure, exit) = (Failure::NotRun, Exit::Success);
                return Ok(Err(Missing { failure, exit, output_tail: reason.to_string() }));
            }
            ended => ended.map_err(|error| execution.named(error))?,
        };
        let ended = Ended { output: output_text(session, program, ended.output)?, ..ended };
        if let Some(output) = output {
            let (content, bytes) = session.output().map_err(|error| execution.named(error))?;
            output.exits.push(ended.exit);
            // Nothing is appended after a part that was cut.
            if !output.is_cut() {
                output.content.extend(content);
            }
            output.bytes += bytes;
        }
        let failure = match ended.exit {
            Exit::Signalled(_) => Failure::Crashed,
            Exit::Timeout => Failure::TimedOut,
            // libFuzzer's interface: a library returns -1 to reject an input.
            Exit::Failure(-1) => Failure::Invalid,
            Exit::Success if !program.is_valid(0) => Failure::Invalid,
            Exit::Failure(code) if !program.is_valid(code) => Failure::Invalid,
            Exit::Success | Exit::Failure(_) => return Ok(Ok(ended)),
        };
        session.clear().map_err(|error| execution.named(error))?;
        Ok(Err(Missing { failure, exit: ended.exit, output_tail: ended.output }))
    }

    /// The coverage of an execution that has ended.
    fn read(
        &mut self,
        program: &Program,
        execution: &Execution<'_>,
        ended: Ended,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, Missing>, ExecError> {
        let session = self.session(program, execution)?;
        let Ended { exit, output } = ended;
        let failure = Failure::NoCounters;
        let reading = match session.read(loader) {
            Ok(Ok(reading)) => Ok(reading),
            Ok(Err(NoCounters::None)) => Err(Missing { failure, exit, output_tail: output }),
            Ok(Err(NoCounters::TooMany)) => {
                let what = "its counters do not fit into memory (does it fork very often?)";
                Err(Missing { failure, exit, output_tail: what.to_owned() })
            }
            Err(error) => Err(inconsistent(exit, error)?),
        };
        session.clear().map_err(|error| execution.named(error))?;
        Ok(reading)
    }

    /// The session for an execution, started if it is the first of its mode.
    fn session(
        &mut self,
        program: &Program,
        execution: &Execution<'_>,
    ) -> Result<&mut dyn ProcessSession, ExecError> {
        let mode = program.mode_of(execution.invocation);
        // Programs are not pinned: they see the number of processors, and may run different code
        // for it.
        if program.is_library() && !self.is_pinned {
            pin(self.number);
            self.is_pinned = true;
        }
        let known = self.sessions.iter().position(|(of, _)| *of == mode);
        let at = known.unwrap_or(self.sessions.len());
        if known.is_none() {
            let session: io::Result<Box<dyn ProcessSession>> = match mode {
                Mode::Exec => PerInputSession::new().map(|session| Box::new(session) as _),
                Mode::Fork | Mode::Inline => {
                    ForkServerSession::new().map(|session| Box::new(session) as _)
                }
            };
            self.sessions.push((mode, session.map_err(|error| execution.named(error))?));
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
    execution: &Execution<'_>,
) -> Result<Ended, ExecError> {
    for pause in RETRY_PAUSES {
        match session.run(program, execution) {
            Err(ExecError::NotRun(NotRun::NoRoom(_))) => {}
            other => return other,
        }
        session.clear()?;
        std::thread::sleep(pause);
    }
    session.run(program, execution)
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
