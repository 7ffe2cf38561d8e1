//! Executions that a worker starts itself, one for each input: a program, or a call of a library in
//! a forked child.
//!
//! The supervisor of the worker ends whatever the worker leaves. In addition, each execution here
//! has limits, and all its processes have ended when its result is returned.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::{AsRawFd, OwnedFd};

use metacov_core::Exit;
use rustix::process::{
    PidfdFlags, Resource, Rlimit, getpid, getrlimit, pidfd_open, set_child_subreaper, setrlimit,
};

use super::fork::fork;
use super::helper::shared_file;
use super::limits::Limits;
use super::spawn::{Spawner, Started};
use super::supervisor_main::{TimeLimits, contain};
use super::wire::Request;

/// The longest output of an execution: one that writes more is ended by SIGXFSZ.
const OUTPUT_BYTES_MAX: u64 = 16 << 20;

/// Variables to add to the environment, and their values.
type Environment = [(OsString, OsString)];

/// An execution that has ended, with all its processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainedRun {
    /// How it ended.
    pub exit: Exit,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// Its messages.
    pub stderr: Vec<u8>,
}

/// Runs a program with empty standard input. A program that cannot be started is an error. Only for
/// processes with one thread and no children.
pub fn run_program(
    command: &[OsString],
    environment: &Environment,
    limits: &Limits,
) -> io::Result<ContainedRun> {
    let Limits { wall, grace, cpu, memory_bytes } = *limits;
    let (command, environment) = (command.to_vec(), environment.to_vec());
    let request = Request { command, environment, wall: Some(wall), grace, cpu, memory_bytes };
    let output = OutputFiles::new()?;
    let stdio = output.stdio()?;
    set_child_subreaper(Some(getpid()))?;
    // Limits are inherited.
    let before = getrlimit(Resource::Fsize);
    setrlimit(Resource::Fsize, Rlimit { current: Some(OUTPUT_BYTES_MAX), ..before })?;
    let started = Spawner::new().spawn(&request, &stdio);
    setrlimit(Resource::Fsize, before)?;
    output.of(&started?, limits)
}

/// Calls a function in a forked child, which ends with its result as the exit code. The function
/// has empty standard input. Only for processes with one thread and no children.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
pub fn run_forked(limits: &Limits, work: impl FnOnce() -> i32) -> io::Result<ContainedRun> {
    let output = OutputFiles::new()?;
    let stdio = output.stdio()?;
    set_child_subreaper(Some(getpid()))?;
    let Some(child) = fork()? else {
        // SAFETY: this process has one thread. `exit` runs the destructors of loaded libraries and
        // writes what they have buffered; metacov has no exit handlers.
        unsafe {
            prepare_child(&stdio, limits);
            libc::exit(work())
        }
    };
    let started = Started { pid: child, pidfd: pidfd_open(child, PidfdFlags::empty())? };
    drop(stdio);
    output.of(&started, limits)
}

/// Ends this process as a target has ended, so that the crash of a contained execution is treated
/// like one of a library that this process has loaded.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
pub fn end_by(signal: i32) -> ! {
    // SAFETY: always valid. The process ends here, whether the signal ends it or not.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
        libc::_exit(128 + signal)
    }
}

/// Sets the standard files, the process group and the limits of a forked child.
///
/// # Safety
/// The process has one thread.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
unsafe fn prepare_child(stdio: &[OwnedFd; 3], limits: &Limits) {
    // SAFETY: the descriptors are open, and the limits are valid.
    unsafe {
        libc::setpgid(0, 0);
        for (target, file) in (0..).zip(stdio) {
            libc::dup2(file.as_raw_fd(), target);
        }
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        // A process that reaches it is ended by SIGKILL; the parent waits for the exact time.
        let cpu = limits.cpu.map(|cpu| super::limits::whole_seconds(cpu) + 1);
        let wanted = [
            (libc::RLIMIT_FSIZE, Some(OUTPUT_BYTES_MAX)),
            (libc::RLIMIT_CPU, cpu),
            (libc::RLIMIT_DATA, limits.memory_bytes),
        ];
        for (resource, most) in wanted {
            if let Some(most) = most {
                // Fails if the limit is lower already, which is fine.
                libc::setrlimit(resource, &libc::rlimit { rlim_cur: most, rlim_max: most });
            }
        }
    }
}

/// The output of an execution, in memory.
struct OutputFiles {
    stdout: File,
    stderr: File,
}

impl OutputFiles {
    fn new() -> io::Result<Self> {
        Ok(OutputFiles { stdout: shared_file()?, stderr: shared_file()? })
    }

    fn stdio(&self) -> io::Result<[OwnedFd; 3]> {
        let null = File::open("/dev/null")?;
        Ok([null.into(), self.stdout.try_clone()?.into(), self.stderr.try_clone()?.into()])
    }

    /// Waits for the end of an execution with this output.
    fn of(self, started: &Started, limits: &Limits) -> io::Result<ContainedRun> {
        let Limits { wall, grace, cpu, .. } = *limits;
        let exit = contain(started, TimeLimits { wall: Some(wall), cpu }, grace, None)?;
        let exit = exit.ok_or_else(|| io::Error::other("the execution was not waited for"))?;
        Ok(ContainedRun { exit, stdout: content(self.stdout)?, stderr: content(self.stderr)? })
    }
}

fn content(mut file: File) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut content)?;
    Ok(content)
}
