//! The program under test.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use metacov_core::{CodeFile, Setup};

use super::code::code_files;
use super::elf::is_shared_library;
use super::invocation::Invocation;
use crate::process::limits::Limits;

/// How inputs are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A new process for each input. Works with any program.
    Exec,
    /// One process that forks for each input: a program built with `metacov cc` forks before its
    /// `main`, a library after its setup.
    Fork,
    /// One process that calls a library for each input.
    Inline,
}

/// Whether a command's program is a shared library, by its name or its content.
fn is_library(command: &[OsString]) -> bool {
    let Some(command) = command.first() else { return false };
    let name = Path::new(command).file_name().and_then(OsStr::to_str);
    // `libz.so` or `libz.so.1.2`
    name.is_some_and(|name| name.split('.').skip(1).any(|part| part == "so"))
        || find_program(command).is_some_and(|path| is_shared_library(&path))
}

/// A program that takes one input per execution.
pub struct Program {
    /// The program and its arguments. `@@` is replaced by the input file; a command without it gets
    /// the input as its standard input.
    pub command: Vec<OsString>,
    /// How inputs are executed.
    pub mode: Mode,
    /// Text that precedes every input.
    pub setup: Option<Arc<Setup>>,
    /// The exit codes of valid executions; all codes if empty.
    pub valid_codes: Vec<i32>,
    /// Whether the standard output of each execution is kept, to be judged.
    pub keeps_output: bool,
    /// The limits of each execution.
    pub limits: Limits,
    /// Set to end all executions.
    pub interrupted: Arc<AtomicBool>,
    /// The program's file, and its identity when the run began.
    executable: Option<(PathBuf, FileIdentity)>,
    is_library: bool,
}

impl Program {
    /// A program with its arguments and the defaults for everything else.
    pub fn new(command: Vec<OsString>, limits: Limits, interrupted: Arc<AtomicBool>) -> Self {
        let executable = command.first().and_then(|name| find_program(name)).and_then(|path| {
            let identity = FileIdentity::of(&path.metadata().ok()?);
            Some((path, identity))
        });
        let is_library = is_library(&command);
        Program {
            mode: if is_library { Mode::Inline } else { Mode::Exec },
            command,
            setup: None,
            valid_codes: Vec::new(),
            keeps_output: false,
            limits,
            interrupted,
            executable,
            is_library,
        }
    }

    /// Whether it is a shared library, by its name.
    pub fn is_library(&self) -> bool {
        self.is_library
    }

    /// Whether the program's file is one that may be executed.
    pub fn is_executable(&self) -> bool {
        let path = self.executable.as_ref().map(|(path, _)| path);
        path.and_then(|path| path.metadata().ok())
            .is_some_and(|metadata| metadata.is_file() && metadata.mode() & 0o111 != 0)
    }

    /// The program's name for messages.
    pub fn name(&self) -> String {
        self.command.first().map(|name| Path::new(name).display().to_string()).unwrap_or_default()
    }

    /// Whether the program's file does not exist. A library without a path is searched for by the
    /// dynamic loader, and never missing here.
    pub fn is_missing(&self) -> bool {
        self.executable.is_none() && (self.has_path() || !self.is_library())
    }

    /// Whether the program is given by a path, not by a name to search for.
    pub fn has_path(&self) -> bool {
        self.command.first().is_some_and(|name| is_path(name))
    }

    /// The files whose code the command runs.
    pub fn code_files(&self) -> Vec<CodeFile> {
        let executable = self.executable.as_ref().map(|(path, _)| &**path);
        code_files(executable, &self.command)
    }

    /// How an invocation is executed. Arguments and environment of a fork server are fixed when it
    /// starts, so invocations that add to them get a new process in fork mode too.
    pub(crate) fn mode_of(&self, invocation: &Invocation) -> Mode {
        match self.mode {
            Mode::Fork if !self.is_library() && invocation.only_input().is_none() => Mode::Exec,
            mode => mode,
        }
    }

    /// Whether an execution with this exit code is valid.
    pub fn is_valid(&self, code: i32) -> bool {
        self.valid_codes.is_empty() || self.valid_codes.contains(&code)
    }

    /// The program's file, if it has changed since the run began.
    pub(crate) fn rebuilt(&self) -> Option<&Path> {
        let (path, identity) = self.executable.as_ref()?;
        let same = path.metadata().is_ok_and(|now| FileIdentity::of(&now) == *identity);
        (!same).then_some(path)
    }
}

/// Differs if a file was replaced or changed.
#[derive(PartialEq, Eq)]
struct FileIdentity {
    file: (u64, u64),
    bytes: u64,
    changed: (i64, i64),
}

impl FileIdentity {
    fn of(metadata: &Metadata) -> Self {
        let file = (metadata.dev(), metadata.ino());
        let changed = (metadata.mtime(), metadata.mtime_nsec());
        FileIdentity { file, bytes: metadata.len(), changed }
    }
}

fn is_path(name: &OsStr) -> bool {
    name.as_encoded_bytes().contains(&b'/')
}

/// The file of a command's program: a path as it is, a name searched for in `PATH`.
pub fn find_program(name: &OsStr) -> Option<PathBuf> {
    if is_path(name) {
        return Some(PathBuf::from(name));
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}
