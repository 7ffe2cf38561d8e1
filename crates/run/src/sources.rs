//! The sources of sides.

use std::num::NonZero;
use std::sync::Arc;

use metacov_core::{Missing, Reading, Setup, StoredInput};
use metacov_exec::{Invocation, ProcessRunner, Program};
use metacov_formats::{CoverageLoader, Error, FileSpec};

use crate::{Source, StopReason};

/// Reads coverage files, and unites those of a side. A file that cannot be read is an error:
/// nothing was run.
pub struct CoverageFiles;

impl Source for CoverageFiles {
    type Side = Vec<FileSpec>;
    type Runner = ();

    fn runner(&self, _worker: usize) {}

    fn read(
        &self,
        side: &Vec<FileSpec>,
        (): &mut (),
        loader: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, Missing>, StopReason> {
        Ok(Ok(loader.read_side(side)?))
    }

    fn name(&self, side: &Vec<FileSpec>) -> String {
        side.first().map(ToString::to_string).unwrap_or_default()
    }
}

/// Runs a program once for each input of a side, and unites the covers.
pub struct ProgramRuns {
    /// The program.
    pub target: Program,
    /// How often each input is run, to find the sites that do not run every time.
    pub repeat: NonZero<u32>,
}

impl Source for ProgramRuns {
    type Side = Vec<Invocation>;
    type Runner = ProcessRunner;

    fn runner(&self, worker: usize) -> ProcessRunner {
        ProcessRunner::new(worker)
    }

    fn read(
        &self,
        side: &Vec<Invocation>,
        runner: &mut ProcessRunner,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, Missing>, StopReason> {
        Ok(runner.run_side(&self.target, side, self.repeat, loader)?)
    }

    fn name(&self, side: &Vec<Invocation>) -> String {
        side.first().map(Invocation::name).unwrap_or_default()
    }

    fn inputs(&self, side: &Vec<Invocation>) -> Result<Vec<StoredInput>, Error> {
        Ok(side.iter().map(Invocation::inputs).collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn setup(&self) -> Option<Arc<Setup>> {
        self.target.setup.clone()
    }
}
