//! A side that has yet to run.

use std::num::NonZero;
use std::sync::Arc;

use metacov_core::{BuildMismatch, Exit, Failure, Input, Missing, Reading, Setup};
use metacov_formats::{Error, Fault, Intake, Side};

use crate::{Invocation, Target};

/// The inputs of one side, and the program that runs them: one execution for each, whose covers
/// are united.
pub struct Inputs {
    /// The program.
    pub target: Arc<Target>,
    /// What each execution gets.
    pub invocations: Vec<Invocation>,
    /// How often each is run, to find out what does not run every time.
    pub repeat: NonZero<u32>,
}

impl Side for Inputs {
    fn read(&self, intake: &mut Intake<'_>) -> Result<Result<Reading, Missing>, Error> {
        let mut side: Option<Reading> = None;
        for invocation in &self.invocations {
            match (self.repeat(invocation, intake)?, &mut side) {
                (Ok(reading), Some(side)) => side.unite(&reading),
                (Ok(reading), None) => side = Some(reading),
                (Err(missing), _) => return Ok(Err(missing)),
            }
        }
        Ok(Ok(side.unwrap_or_else(|| Reading::of(intake.table()))))
    }

    fn name(&self) -> String {
        self.invocations.first().map(name).unwrap_or_default()
    }

    fn inputs(&self) -> Result<Vec<Input>, Error> {
        let inputs = |invocation: &Invocation| {
            invocation.inputs().map_err(|error| Fault::Io(error).of(name(invocation)))
        };
        Ok(self.invocations.iter().map(inputs).collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn setup(&self) -> Option<Arc<Setup>> {
        self.target.setup.clone()
    }
}

impl Inputs {
    /// Runs one input as often as asked for.
    fn repeat(
        &self,
        invocation: &Invocation,
        intake: &mut Intake<'_>,
    ) -> Result<Result<Reading, Missing>, Error> {
        let mut all = self.execute(invocation, intake)?;
        for _ in 1..self.repeat.get() {
            let Ok(reading) = &mut all else { break };
            match self.execute(invocation, intake)? {
                Ok(other) => reading.repeat(&other),
                Err(missing) => all = Err(missing),
            }
        }
        Ok(all)
    }

    /// Runs one input, once.
    fn execute(
        &self,
        invocation: &Invocation,
        intake: &mut Intake<'_>,
    ) -> Result<Result<Reading, Missing>, Error> {
        let target = &*self.target;
        let fault = |error| Fault::Io(error).of(name(invocation));
        if let Some(program) = target.rebuilt() {
            let mismatch = BuildMismatch { place: "the program's file".to_owned() };
            let earlier = "the run so far".to_owned();
            return Err(Fault::OtherBuild { earlier, mismatch }.of(program.display().to_string()));
        }
        let mut worker = target.worker().map_err(fault)?;
        let ended = worker.run(target, invocation).map_err(fault)?;
        let failure = match ended.exit {
            Exit::Signalled(_) => Some(Failure::Crashed),
            Exit::Timeout => Some(Failure::TimedOut),
            // How a library says, by the interface of fuzzers, that an input is none.
            Exit::Failure(-1) => Some(Failure::Invalid),
            Exit::Success if !self.is_valid(0) => Some(Failure::Invalid),
            Exit::Failure(code) if !self.is_valid(code) => Some(Failure::Invalid),
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
        target.give_back(worker);
        Ok(reading)
    }

    fn is_valid(&self, code: i32) -> bool {
        self.target.valid_codes.is_empty() || self.target.valid_codes.contains(&code)
    }
}

/// What to call an execution in a message.
fn name(invocation: &Invocation) -> String {
    let path = invocation.input.as_ref().or(invocation.stdin.as_ref());
    path.map(|path| path.display().to_string()).unwrap_or_default()
}
