//! The program under test.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use metacov_core::Setup;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::Invocation;

/// How much an execution may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// By the clock on the wall.
    pub wall: Duration,
    /// How long it may go on after it was asked to end, before it is made to.
    pub grace: Duration,
    /// Processor time, if that is limited too.
    pub cpu: Option<Duration>,
    /// Memory, if that is limited.
    pub memory_bytes: Option<u64>,
}

/// As the system counts limits: up.
pub(crate) fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// How executions are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A process for each input, started from nothing. Any program will do.
    Exec,
    /// One process that forks for each input: a program that is built with `metacov cc`, which
    /// forks before its `main`; or a library, after its setup.
    Fork,
    /// A library that one process calls for each input.
    Inline,
}

impl Mode {
    /// The mode for a command of which nothing else is known.
    pub fn of(command: &[OsString]) -> Self {
        if is_library(command) { Mode::Inline } else { Mode::Exec }
    }
}

/// Whether a command's program is a shared library, going by its name.
fn is_library(command: &[OsString]) -> bool {
    let name = command.first().and_then(|name| Path::new(name).file_name()?.to_str());
    // `libz.so` or `libz.so.1.2`
    name.is_some_and(|name| name.split('.').skip(1).any(|part| part == "so"))
}

/// A program that takes one input for each execution.
pub struct Program {
    /// The program and its arguments. `@@` stands for the input file; a command without it gets
    /// the input as its standard input.
    pub command: Vec<OsString>,
    /// How executions are made.
    pub mode: Mode,
    /// What comes before each input: the same for all, and part of it.
    pub setup: Option<Arc<Setup>>,
    /// The exit codes of valid executions; any, if none is given.
    pub valid_codes: Vec<i32>,
    /// How much an execution may take.
    pub limits: Limits,
    /// Set when all executions should end.
    pub interrupted: Arc<AtomicBool>,
    /// The file that the command starts, and what it was like when the run began.
    program: Option<(PathBuf, Build)>,
}

impl Program {
    /// A program and its arguments, with nothing else said.
    pub fn new(command: Vec<OsString>, limits: Limits, interrupted: Arc<AtomicBool>) -> Self {
        let program = command.first().and_then(|name| find(name));
        let program = program.and_then(|path| {
            let build = Build::of(&path.metadata().ok()?);
            Some((path, build))
        });
        let (setup, valid_codes, mode) = (None, Vec::new(), Mode::of(&command));
        Program { command, mode, setup, valid_codes, limits, interrupted, program }
    }

    /// Whether it is a shared library, going by its name.
    pub fn is_library(&self) -> bool {
        is_library(&self.command)
    }

    /// What the command starts, as messages call it.
    pub fn name(&self) -> String {
        self.command.first().map(|name| Path::new(name).display().to_string()).unwrap_or_default()
    }

    /// Whether there is no file that the command could start. A library that is only a name is
    /// looked for by the system's loader, not by us.
    pub fn is_missing(&self) -> bool {
        self.program.is_none() && (self.has_path() || !self.is_library())
    }

    /// Whether the program is named by a path, and not looked for.
    pub fn has_path(&self) -> bool {
        self.command.first().is_some_and(|name| is_path(name))
    }

    /// How an invocation is executed. What a program gets besides its input is fixed when it starts,
    /// so an invocation with more than that has a process of its own in fork mode too.
    pub(crate) fn mode_of(&self, invocation: &Invocation) -> Mode {
        match self.mode {
            Mode::Fork if !self.is_library() && invocation.only_input().is_none() => Mode::Exec,
            mode => mode,
        }
    }

    /// Whether an exit code is that of a valid execution.
    pub(crate) fn is_valid(&self, code: i32) -> bool {
        self.valid_codes.is_empty() || self.valid_codes.contains(&code)
    }

    /// The program's file, if it is not the one any more that the run began with.
    pub(crate) fn rebuilt(&self) -> Option<&Path> {
        let (path, build) = self.program.as_ref()?;
        let same = path.metadata().is_ok_and(|now| Build::of(&now) == *build);
        (!same).then_some(path)
    }
}

/// Has this thread, and the processes that it will start, run on one processor. A target that
/// serves and the thread that reads its counters take turns, so they lose no time, and the
/// counters stay in that processor's cache: a fifth less time on SQLite.
pub(crate) fn pin(number: usize) {
    let Ok(allowed) = sched_getaffinity(None) else { return };
    let processors: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
    let Some(processor) = processors.get(number % processors.len().max(1)) else { return };
    let mut only = CpuSet::new();
    only.set(*processor);
    // Where it cannot be had, it is slower, not wrong.
    let _ = sched_setaffinity(None, &only);
}

/// What tells a file from one that has taken its place.
#[derive(PartialEq, Eq)]
struct Build {
    file: (u64, u64),
    bytes: u64,
    changed: (i64, i64),
}

impl Build {
    fn of(metadata: &Metadata) -> Self {
        let file = (metadata.dev(), metadata.ino());
        let changed = (metadata.mtime(), metadata.mtime_nsec());
        Build { file, bytes: metadata.len(), changed }
    }
}

fn is_path(name: &OsStr) -> bool {
    name.as_encoded_bytes().contains(&b'/')
}

/// Where a command's program is: where its name says or, if that is only a name, where `PATH` says.
fn find(name: &OsStr) -> Option<PathBuf> {
    if is_path(name) {
        return Some(PathBuf::from(name));
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}
