//! Targets that are loaded into this process: libraries, by name and version.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use metacov_core::{Facts, Input, Method, Outcome};
use metacov_runtime::Compiler;

/// How to find, build and open a target.
pub trait Target: Sync {
    /// Its name on command lines, such as `sqlite`.
    fn name(&self) -> &'static str;

    /// The method that generates its tests.
    fn method(&self) -> &'static dyn Method;

    /// The version that is used if none is given.
    fn default_version(&self) -> &'static str;

    /// All available versions, oldest first.
    fn versions(&self) -> Vec<&'static str>;

    /// Whether a version is included in the binary.
    fn is_embedded(&self, _version: &str) -> bool {
        false
    }

    /// Finds the artifact of a version, if it was built before or needs no building.
    fn find(&self, version: &str, cache: &Path) -> io::Result<Option<Artifact>>;

    /// Builds a version, with and without counters. It appears in the cache complete or not at all.
    fn build(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<Artifact>;

    /// Provides a version, at least without counters: a target that is released as a library needs
    /// no building for that.
    fn build_plain(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<Artifact> {
        self.build(version, options)
    }

    /// Whether [`Target::build_plain`] only fetches what was released, and compiles nothing.
    fn is_released(&self) -> bool {
        false
    }

    /// Says why a statement is never run, if so: it would leave the database.
    fn refusal(&self, _statement: &str) -> Option<String> {
        None
    }

    /// Builds the library of a version with mutants, unless that was done before, and returns its path.
    fn build_mutants(&self, _version: &str, _options: &BuildOptions<'_>) -> io::Result<PathBuf> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "it cannot be built with mutants"))
    }

    /// How its source is built as a program with gcc's own coverage, for a comparison with gcovr.
    fn gcov_program(&self, _artifact: &Artifact) -> Option<GcovProgram> {
        None
    }

    /// Whether its sessions end an input that takes longer than [`OpenOptions::time_max`]. If not,
    /// that ends the worker.
    fn limits_time(&self) -> bool {
        false
    }

    /// Whether its sessions can run other targets on the same inputs ([`OpenOptions::compared`]).
    fn compares(&self) -> bool {
        false
    }

    /// Whether its tests are derived from scripts ([`OpenOptions::seeds`]).
    fn has_seeds(&self) -> bool {
        false
    }

    /// Loads a library into this process, which must have one thread and no other purpose.
    fn open(&self, library: &Path, options: &OpenOptions<'_>) -> io::Result<Box<dyn Session>>;
}

/// How a target is built.
#[derive(Clone, Copy)]
pub struct BuildOptions<'b> {
    /// The compiler for C.
    pub compiler: &'b Compiler,
    /// The folder of all built targets.
    pub cache: &'b Path,
    /// Called when another source file is compiled: how many are, and how many there are. Targets
    /// of one file need not call it.
    pub progress: &'b (dyn Fn(usize, usize) + Sync),
    /// Called with a warning: what the user might not expect.
    pub warn: &'b (dyn Fn(&str) + Sync),
}

/// A target that was built.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The folder of its notes and its source.
    pub folder: PathBuf,
    /// The folder that it was compiled in, as its notes name it.
    pub compiled_in: String,
    /// The library that counts, if it was built.
    pub counting: Option<PathBuf>,
    /// The library without counters.
    pub plain: PathBuf,
}

/// How a program is built in a folder with `gcc --coverage`. The result is an executable `program`
/// that takes the file of its input as its argument.
pub struct GcovProgram {
    /// Its name in messages.
    pub name: &'static str,
    /// Files to copy into the folder.
    pub copied: Vec<PathBuf>,
    /// Files to write there: name and text.
    pub written: Vec<(&'static str, &'static str)>,
    /// Commands to run there.
    pub commands: Vec<Command>,
    /// The source file whose lines are compared.
    pub source: &'static str,
    /// The files of counters that an execution writes.
    pub counters: &'static [&'static str],
}

/// Which library of a target to load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// The one that counts.
    Counting,
    /// The one without counters.
    Plain,
}

impl Artifact {
    /// The library of a flavour, if there is one.
    pub fn library(&self, flavour: Flavour) -> Option<&Path> {
        match flavour {
            Flavour::Counting => self.counting.as_deref(),
            Flavour::Plain => Some(&self.plain),
        }
    }
}

/// How a library is opened.
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions<'o> {
    /// Whether coverage is captured. If so, the session uses the library once when it opens it, so
    /// that initialisation is not counted later, and its memory can be restored.
    pub is_measured: bool,
    /// The most steps that a statement may take. They are counted by the target, so the limit is
    /// the same on every machine.
    pub steps_max: u64,
    /// The longest time that an input may take, for targets that limit it.
    pub time_max: Duration,
    /// Arguments of the user for a target that is a program.
    pub arguments: Option<&'o [String]>,
    /// A folder with inputs of the user that tests are derived from.
    pub seeds: Option<&'o Path>,
    /// All targets that run each input, for targets that are compared with others: name and file,
    /// the opened one first. Empty if there are no others.
    pub compared: &'o [(String, PathBuf)],
}

/// An opened target. `Err` is a failure of metacov; what the target does is an [`Outcome`].
pub trait Session {
    /// Returns what the target reports about itself.
    fn facts(&self) -> Facts;

    /// Starts with an empty state.
    fn begin(&mut self) -> io::Result<()>;

    /// Notes that the next inputs are those of another test.
    fn begin_test(&mut self) {}

    /// Runs an input on the current state.
    fn run(&mut self, input: &Input) -> io::Result<Outcome>;

    /// How to run an input in a process from outside, if each input has a process. None: inputs run in this process.
    fn input_processes(&mut self) -> Option<&mut dyn InputProcesses> {
        None
    }

    /// Saves the current state under a mark, replacing the previous one.
    fn keep(&mut self, mark: Mark) -> io::Result<()>;

    /// Restores a saved state, byte for byte. Does nothing if there is none.
    fn restore(&mut self, mark: Mark) -> io::Result<()>;
}

/// A session in which each input has a process, for callers that start that process.
pub trait InputProcesses {
    /// Prepares an input.
    fn prepare(&mut self, input: &Input) -> io::Result<()>;

    /// Runs the input that was prepared in this process, which must end with the result as its exit code.
    fn run_here(&mut self) -> i32;

    /// What a process that has run an input means, by its exit code and what it printed; none if it crashed.
    fn outcome(&self, input: &Input, code: u8, printed: &[u8]) -> Option<Outcome>;
}

/// Names a saved state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The state that each side starts from.
    Start,
    /// The state to return to after an observer has run.
    Interrupted,
}
