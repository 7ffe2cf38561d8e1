//! A side that has yet to run.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use metacov_core::{Exit, Failure, Missing, Reading};
use metacov_formats::{Error, Fault, Intake, Side};

use crate::Target;

/// The inputs of one side, and the program that runs them: one execution for each, whose covers
/// are united.
pub struct Inputs {
    /// The program.
    pub target: Arc<Target>,
    /// The inputs.
    pub files: Vec<PathBuf>,
    /// How often each is run, to find out what does not run every time.
    pub repeat: NonZero<u32>,
}

impl Side for Inputs {
    fn read(&self, intake: &mut Intake<'_>) -> Result<Result<Reading, Missing>, Error> {
        let mut side = Reading::of(intake.table());
        for input in &self.files {
            match self.repeat(input, intake)? {
                Ok(reading) => side.unite(&reading),
                Err(missing) => return Ok(Err(missing)),
            }
        }
        Ok(Ok(side))
    }

    fn name(&self) -> String {
        self.files.first().map(|path| path.display().to_string()).unwrap_or_default()
    }
}

impl Inputs {
    /// Runs one input as often as asked for.
    fn repeat(
        &self,
        input: &Path,
        intake: &mut Intake<'_>,
    ) -> Result<Result<Reading, Missing>, Error> {
        let mut all = self.execute(input, intake)?;
        for _ in 1..self.repeat.get() {
            let Ok(reading) = &mut all else { break };
            match self.execute(input, intake)? {
                Ok(other) => reading.repeat(&other),
                Err(missing) => all = Err(missing),
            }
        }
        Ok(all)
    }

    /// Runs one input, once.
    fn execute(
        &self,
        input: &Path,
        intake: &mut Intake<'_>,
    ) -> Result<Result<Reading, Missing>, Error> {
        let name = || input.display().to_string();
        // Counters of their own for each execution: nothing is left of the one before, and
        // executions side by side do not add up.
        let prefix = tempfile::Builder::new().prefix("metacov-").tempdir();
        let prefix = prefix.map_err(|error| Fault::Io(error).of(name()))?;
        let exit = self.target.run(input, prefix.path());
        let exit = exit.map_err(|error| Fault::Io(error).of(name()))?;
        let missing = |failure| Missing { failure, exit, last_words: String::new() };
        match exit {
            Exit::Success | Exit::Failure(_) => {}
            Exit::Signalled(_) => return Ok(Err(missing(Failure::Crashed))),
            Exit::Timeout => return Ok(Err(missing(Failure::TimedOut))),
        }
        Ok(intake.read_folder(prefix.path())?.ok_or_else(|| missing(Failure::NoCounters)))
    }
}
