//! Mutants of a program: each input runs in a new process, which starts a process for each mutant where it is first
//! reached.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use metacov_core::{Exit, SideOutput};

use super::split_memory::SplitMemory;
use super::{MutantEnd, MutantExit, MutantPlan};
use crate::error::ExecError;
use crate::process::limits::Limits;
use crate::process::wire::Request;
use crate::session::{Invocation, Program, Workspace};

/// The variable that names the shared memory to the runtime.
const VARIABLE: &str = "METACOV_SPLIT";

/// The most bytes that the outputs of processes with mutants take at a time, unless one takes more.
const OUTPUTS_BYTES_MAX: u64 = 4 << 30;

/// Runs inputs of a program that was built with mutants.
pub struct MutatedProgram {
    workspace: Workspace,
}

/// The result of an input.
pub struct MutatedRun {
    /// How the program ended without a mutant, or with the only one.
    pub exit: MutantExit,
    /// What it wrote.
    pub output: MutantOutput,
    /// Its steps.
    pub steps: u64,
    /// The time that it took, with all processes.
    pub time: Duration,
    /// All wanted mutants that were reached, by number, and what each wrote.
    pub ends: Vec<(MutantEnd, MutantOutput)>,
}

/// The standard output of a process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MutantOutput {
    /// As far as it is judged.
    pub content: Arc<[u8]>,
    /// Its size.
    pub bytes: u64,
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
        let mut wanted = plan.wanted.to_vec();
        let mut ends = Vec::new();
        let chunk = usize::try_from(OUTPUTS_BYTES_MAX / plan.limits.file_bytes).unwrap_or(1).max(1);
        loop {
            // Other mutants are run after these.
            let mut now = wanted.clone();
            let mut left = chunk;
            for wanted in &mut now {
                *wanted = u8::from(*wanted != 0 && left > 0);
                left -= usize::from(*wanted);
            }
            let run = self.run_once(program, invocation, &MutantPlan { wanted: &now, ..*plan })?;
            // If one has ended the process that waits for it, the others are run without it.
            let is_complete = run.ends.iter().all(|(end, _)| end.exit != MutantExit::EndedParent);
            for (mutant, now) in now.iter().enumerate().filter(|_| is_complete) {
                wanted[mutant] &= 1 - now;
            }
            for (end, _) in &run.ends {
                wanted[end.mutant as usize] = 0;
            }
            ends.extend(run.ends);
            if is_complete && wanted.iter().all(|wanted| *wanted == 0) {
                ends.sort_unstable_by_key(|(end, _)| end.mutant);
                return Ok(MutatedRun { ends, ..run });
            }
        }
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
        let mut ends = Vec::new();
        for end in memory.ends() {
            ends.push((end, take_output(&path, end.mutant)?));
        }
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

/// Reads the output of a process with a mutant, and removes the file. A process that was ended early has none.
fn take_output(shared: &Path, mutant: u32) -> io::Result<MutantOutput> {
    let mut path = shared.as_os_str().to_owned();
    path.push(format!(".{mutant}"));
    let path = PathBuf::from(path);
    match read_output(&path) {
        Ok(output) => fs::remove_file(&path).map(|()| output),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(MutantOutput { content: [].into(), bytes: 0 })
        }
        Err(error) => Err(error),
    }
}

fn read_output(path: &Path) -> io::Result<MutantOutput> {
    let file = File::open(path)?;
    let bytes = file.metadata()?.len();
    let mut content = Vec::new();
    file.take(SideOutput::JUDGED_BYTES_MAX).read_to_end(&mut content)?;
    Ok(MutantOutput { content: content.into(), bytes })
}
