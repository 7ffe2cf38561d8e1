//! One worker's executions of a target: the sides of groups, one input after the other.

use std::io;
use std::num::NonZero;

use metacov_core::{BuildMismatch, Exit, Failure, Missing, Reading};
use metacov_formats::{CoverageLoader, Error, Fault};

use crate::target::{Mode, pin};
use crate::worker::Worker;
use crate::{Invocation, Program};

/// Runs sides, one at a time, and keeps from one to the next what that takes: processes that go on,
/// shared memory.
pub struct ProcessRunner {
    /// The number of the worker.
    number: usize,
    is_pinned: bool,
    /// By mode: in a run that forks, some sides may have a process of their own.
    workers: Vec<(Mode, Worker)>,
}

impl ProcessRunner {
    /// The runner of the worker of this number. It belongs to one thread.
    pub fn new(number: usize) -> Self {
        ProcessRunner { number, is_pinned: false, workers: Vec::new() }
    }

    /// Runs all inputs of a side, each as often as asked for, and unites what they ran.
    pub fn run_side(
        &mut self,
        target: &Program,
        invocations: &[Invocation],
        repeat: NonZero<u32>,
        intake: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, Missing>, Error> {
        let mut side: Option<Reading> = None;
        for invocation in invocations {
            match (self.repeat(target, invocation, repeat, intake)?, &mut side) {
                (Ok(reading), Some(side)) => side.unite(&reading),
                (Ok(reading), None) => side = Some(reading),
                (Err(missing), _) => return Ok(Err(missing)),
            }
        }
        Ok(Ok(side.unwrap_or_else(|| Reading::of(intake.table()))))
    }

    /// Runs one input as often as asked for.
    fn repeat(
        &mut self,
        target: &Program,
        invocation: &Invocation,
        repeat: NonZero<u32>,
        intake: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, Missing>, Error> {
        let mut all = self.execute(target, invocation, intake)?;
        for _ in 1..repeat.get() {
            let Ok(reading) = &mut all else { break };
            match self.execute(target, invocation, intake)? {
                Ok(other) => reading.repeat(&other),
                Err(missing) => all = Err(missing),
            }
        }
        Ok(all)
    }

    /// Runs one input, once.
    fn execute(
        &mut self,
        target: &Program,
        invocation: &Invocation,
        intake: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, Missing>, Error> {
        let fault = |error| Fault::Io(error).of(invocation.name());
        if let Some(program) = target.rebuilt() {
            let mismatch = BuildMismatch { place: "the program's file".to_owned() };
            let earlier = "the run so far".to_owned();
            return Err(Fault::OtherBuild { earlier, mismatch }.of(program.display().to_string()));
        }
        let worker = self.worker(target, invocation).map_err(fault)?;
        let ended = worker.run(target, invocation).map_err(fault)?;
        let failure = match ended.exit {
            Exit::Signalled(_) => Some(Failure::Crashed),
            Exit::Timeout => Some(Failure::TimedOut),
            // How a library says, by the interface of fuzzers, that an input is none.
            Exit::Failure(-1) => Some(Failure::Invalid),
            Exit::Success if !target.is_valid(0) => Some(Failure::Invalid),
            Exit::Failure(code) if !target.is_valid(code) => Some(Failure::Invalid),
            Exit::Success | Exit::Failure(_) => None,
        };
        let missing =
            |failure| Missing { failure, exit: ended.exit, last_words: ended.output.clone() };
        let reading = match failure {
            Some(failure) => Err(missing(failure)),
            None => match worker.read(intake) {
                Ok(reading) => reading.ok_or_else(|| missing(Failure::NoCounters)),
                // A matter of this execution, not of the build.
                Err(error) if matches!(error.fault, Fault::Inconsistent { .. }) => {
                    Err(Missing { last_words: error.to_string(), ..missing(Failure::Invalid) })
                }
                Err(error) => return Err(error),
            },
        };
        worker.clear().map_err(fault)?;
        Ok(reading)
    }

    /// What executes an invocation in its mode, started if it is the first.
    fn worker(&mut self, target: &Program, invocation: &Invocation) -> io::Result<&mut Worker> {
        let mode = target.mode_of(invocation);
        // A program would see that it has one processor, and may run other code because of it.
        if target.is_library() && !self.is_pinned {
            pin(self.number);
            self.is_pinned = true;
        }
        let known = self.workers.iter().position(|(of, _)| *of == mode);
        let at = known.unwrap_or(self.workers.len());
        if known.is_none() {
            self.workers.push((mode, Worker::new()?));
        }
        Ok(&mut self.workers[at].1)
    }
}
