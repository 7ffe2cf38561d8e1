//! Sessions: what runs the inputs of a program, one after the other.

mod code;
mod elf;
mod fork_server;
mod invocation;
mod judge_command;
mod library_main;
mod per_input;
mod program;
mod runner;
mod workspace;

use std::io;

use metacov_core::Reading;
use metacov_formats::{CoverageLoader, Error};

pub use code::code_files;
use invocation::Execution;
pub use invocation::Invocation;
pub use judge_command::JudgeCommand;
pub use library_main::load;
pub use program::{Mode, Program, find_program};
pub use runner::{ProcessRunner, SideReading, SideRun, TakenSide};
pub(crate) use workspace::Workspace;

use crate::error::ExecError;
use crate::process::supervisor::Ended;

/// Why an execution that ended by itself has no coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoCounters {
    /// It left no counters.
    None,
    /// Its counters did not fit into memory.
    TooMany,
}

/// Executions of one program in one mode.
trait ProcessSession: Send {
    /// Runs the program once.
    fn run(&mut self, program: &Program, execution: &Execution<'_>) -> Result<Ended, ExecError>;

    /// The standard output of the last execution, as far as it is judged, and its size. Only for a
    /// program whose output is kept.
    fn output(&self) -> io::Result<(Vec<u8>, u64)>;

    /// The coverage of the last execution.
    fn read(
        &mut self,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, NoCounters>, Error>;

    /// Takes the counters of the last execution for [`CoverageLoader::solve`], and clears them.
    /// Returns its reading without the sites that these counters make run; or none, and takes
    /// nothing, if they have to be read now.
    fn take(&mut self, _loader: &mut CoverageLoader<'_>) -> Result<Option<Reading>, Error> {
        Ok(None)
    }

    /// Clears the counters of the last execution.
    fn clear(&mut self) -> io::Result<()>;
}
