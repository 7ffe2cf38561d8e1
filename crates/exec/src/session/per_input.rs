//! A new process for each input.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use metacov_core::Reading;
use metacov_formats::{CoverageLoader, Error};

use super::invocation::Execution;
use super::program::Program;
use super::workspace::Workspace;
use super::{NoCounters, ProcessSession};
use crate::error::ExecError;
use crate::process::limits::Limits;
use crate::process::supervisor::Ended;
use crate::process::wire::Request;

/// Runs each input in a new process.
pub(super) struct PerInputSession {
    workspace: Workspace,
}

impl PerInputSession {
    pub(super) fn new() -> io::Result<Self> {
        Ok(PerInputSession { workspace: Workspace::new()? })
    }
}

impl ProcessSession for PerInputSession {
    fn run(&mut self, program: &Program, execution: &Execution<'_>) -> Result<Ended, ExecError> {
        let mut invocation = execution.invocation.clone();
        if let Some(input) = &mut invocation.input {
            *input = self.workspace.with_setup(program, input)?;
        }
        let (command, stdin) = invocation.command(&program.command);
        let stdin = File::open(stdin.unwrap_or(Path::new("/dev/null")))?;
        let mut environment = self.workspace.environment();
        environment.extend(invocation.environment.iter().cloned());
        let Limits { wall, grace, cpu, memory_bytes } = program.limits;
        let request = Request { command, environment, wall: Some(wall), grace, cpu, memory_bytes };
        let stdout = program.keeps_output.then(|| self.workspace.empty_output()).transpose()?;
        let stdout = stdout.as_ref().map(File::as_fd);
        self.workspace.supervisor.run(&request, &stdin, stdout, &program.interrupted)
    }

    fn output(&self) -> io::Result<(Vec<u8>, u64)> {
        self.workspace.read_output()
    }

    fn read(
        &mut self,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, NoCounters>, Error> {
        self.workspace.read_counters(loader)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.workspace.counters.clear()?;
        self.workspace.arena.keep_nothing()
    }
}
