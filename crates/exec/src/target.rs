//! The program under test.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use metacov_core::Setup;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::worker::Worker;

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
pub(crate) fn is_library(command: &[OsString]) -> bool {
    let name = command.first().and_then(|name| Path::new(name).file_name()?.to_str());
    // `libz.so` or `libz.so.1.2`
    name.is_some_and(|name| name.split('.').skip(1).any(|part| part == "so"))
}

/// A program that takes one input for each execution.
pub struct Target {
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
    /// Workers that have nothing to do, by the thread that they belong to.
    idle: Mutex<Vec<(ThreadId, Worker)>>,
    /// How many threads have had workers.
    threads: AtomicUsize,
}

impl Target {
    /// A program and its arguments, with nothing else said.
    pub fn new(command: Vec<OsString>, limits: Limits, interrupted: Arc<AtomicBool>) -> Self {
        let program = command.first().and_then(|name| find(name));
        let program = program.and_then(|path| {
            let build = Build::of(&path.metadata().ok()?);
            Some((path, build))
        });
        let (setup, valid_codes, idle) = (None, Vec::new(), Mutex::default());
        let mode = Mode::of(&command);
        let threads = AtomicUsize::new(0);
        Target { command, mode, setup, valid_codes, limits, interrupted, program, idle, threads }
    }

    /// This thread's worker. It should be given back, unless something went wrong: then the next
    /// one starts afresh.
    pub(crate) fn worker(&self) -> io::Result<Worker> {
        let thread = std::thread::current().id();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = idle.iter().position(|(of, _)| *of == thread) {
            return Ok(idle.swap_remove(at).1);
        }
        drop(idle);
        if self.mode != Mode::Exec {
            pin(self.threads.fetch_add(1, Ordering::Relaxed));
        }
        Worker::new()
    }

    /// Takes a worker back.
    pub(crate) fn give_back(&self, worker: Worker) {
        let thread = std::thread::current().id();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push((thread, worker));
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
fn pin(number: usize) {
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

/// Where a command's program is: where its name says or, if that is only a name, where `PATH` says.
fn find(name: &OsStr) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.components().count() > 1 {
        return Some(path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}
