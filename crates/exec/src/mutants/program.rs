//! Mutants of a program: each input runs in a new process, which starts a process for each mutant where it is first
//! reached.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::time::Instant;

use metacov_core::Exit;

use super::outputs::{MutatedRun, read_output, run_in_parts, take_outputs};
use super::split_memory::SplitMemory;
use super::{MutantExit, MutantPlan};
use crate::error::ExecError;
use crate::process::limits::Limits;
use crate::process::wire::Request;
use crate::session::{Invocation, Program, Workspace};

/// The variable that names the shared memory to the runtime.
const VARIABLE: &str = "METACOV_SPLIT";

/// Runs inputs of a program that was built with mutants.
pub struct MutatedProgram {
    workspace: Workspace,
}

impl MutatedProgram {
    /// Starts the supervisor of all processes.
    pub fn new() -> io::Result<Self> {
        Ok(MutatedProgram { workspace: Workspace::new()? })
    }

    /// Runs an input without a mutant, and with the wanted ones that it reaches, or only with the only one.
    pub fn run(
        &mut self,
        program: &Program,
        invocation: &Invocation,
        plan: &MutantPlan<'_>,
    ) -> Result<MutatedRun, ExecError> {
        run_in_parts(plan, |plan| self.run_once(program, invocation, plan))
    }

    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    fn run_once(
        &mut self,
        program: &Program,
        invocation: &Invocation,
        plan: &MutantPlan<'_>,
    ) -> Result<MutatedRun, ExecError> {
        let mut invocation = invocation.clone();
        if let Some(input) = &mut invocation.input {
            *input = self.workspace.with_setup(program, input)?;
        }
        let path = self.workspace.path("split");
        let file =
            File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
        let memory = SplitMemory::new(&file, plan, true)?;
        let (command, stdin) = invocation.command(&program.command);
        let stdin = File::open(stdin.unwrap_or(Path::new("/dev/null")))?;
        let mut environment = invocation.environment.clone();
        environment.push((VARIABLE.into(), path.clone().into()));
        let Limits { wall, grace, cpu, memory_bytes } = program.limits;
        // Processes with mutants have limits of their runtime.
        let is_plain = plan.only.is_none() && plan.wanted.iter().all(|wanted| *wanted == 0);
        let (wall, cpu) = (is_plain.then_some(wall), cpu.filter(|_| is_plain));
        let request = Request { command, environment, wall, grace, cpu, memory_bytes };
        let stdout = self.workspace.empty_output()?;
        let start = Instant::now();
        let supervisor = &mut self.workspace.supervisor;
        let ended = supervisor.run(&request, &stdin, Some(stdout.as_fd()), &program.interrupted)?;
        let time = start.elapsed();
        let output = read_output(&self.workspace.output_path())?;
        let ends = take_outputs(memory.ends(), &path)?;
        let (exit, steps) = (exit(ended.exit), memory.steps());
        Ok(MutatedRun { exit, output, steps, time, ends })
    }
}

fn exit(exit: Exit) -> MutantExit {
    match exit {
        Exit::Success => MutantExit::Code(0),
        Exit::Failure(code) => MutantExit::Code(code.to_le_bytes()[0]),
        Exit::Signalled(libc::SIGXCPU | libc::SIGPROF | libc::SIGALRM) | Exit::Timeout => {
            MutantExit::Timeout
        }
        Exit::Signalled(signal) => MutantExit::Signal(signal),
    }
}
