//! Targets that are opened in this process: libraries, by name and version.

use std::io;
use std::path::{Path, PathBuf};

use metacov_core::{Facts, Input, Method, Outcome};
use metacov_runtime::Compiler;

/// A target: how to find, build and open it.
pub trait Target: Sync {
    /// Its name on command lines, such as `sqlite`.
    fn name(&self) -> &'static str;

    /// Makes its tests.
    fn method(&self) -> &'static dyn Method;

    /// The version that a name without one stands for.
    fn default_version(&self) -> &'static str;

    /// All versions that can be had, oldest first.
    fn versions(&self) -> Vec<&'static str>;

    /// Whether a version is inside the binary.
    fn is_embedded(&self, _version: &str) -> bool {
        false
    }

    /// The artifact of a version, if it was built before or needs no building.
    fn find(&self, version: &str, cache: &Path) -> io::Result<Option<Artifact>>;

    /// Builds a version, with and without counters. It appears below `cache` whole or not at all.
    fn build(&self, version: &str, compiler: &Compiler, cache: &Path) -> io::Result<Artifact>;

    /// Loads a library into this process, which has one thread and serves no other purpose.
    fn open(&self, library: &Path, options: &OpenOptions) -> io::Result<Box<dyn Session>>;
}

/// A target that was built.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The folder of its notes and source.
    pub folder: PathBuf,
    /// The folder that it was compiled in, as its notes name it.
    pub compiled_in: String,
    /// The library that counts.
    pub counting: PathBuf,
    /// The library without counters.
    pub plain: PathBuf,
}

/// Which library of a target is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// The one that counts.
    Counting,
    /// The one without counters.
    Plain,
}

impl Artifact {
    /// The library of a flavour.
    pub fn library(&self, flavour: Flavour) -> &Path {
        match flavour {
            Flavour::Counting => &self.counting,
            Flavour::Plain => &self.plain,
        }
    }
}

/// How a library is opened.
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    /// Whether what it runs is captured: it is used once, so that what it does only the first time is done, and its
    /// memory can be set back.
    pub is_measured: bool,
    /// What a statement may do, in steps of the target: the same on every machine.
    pub steps_max: u64,
}

/// An opened target. `Err` is our failure; what the target does is an [`Outcome`].
pub trait Session {
    /// What it says of itself.
    fn facts(&self) -> Facts;

    /// Begins with an empty state.
    fn begin(&mut self) -> io::Result<()>;

    /// Runs an input on the state.
    fn run(&mut self, input: &Input) -> io::Result<Outcome>;

    /// Keeps the state under a mark, in place of what was kept there.
    fn keep(&mut self, mark: Mark) -> io::Result<()>;

    /// Goes back to a state that was kept, to the byte; nothing if none was.
    fn restore(&mut self, mark: Mark) -> io::Result<()>;
}

/// Which of the states that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The state that each side starts from.
    Start,
    /// The state that an observer interrupts and goes back to.
    Interrupted,
}
