//! Targets that are built with `metacov cc`, and pairs of inputs for them.

#![allow(dead_code, reason = "two test binaries share it, and each needs a part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::run::{Run, of, repository};

/// How to run a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A program, started for each input.
    Exec,
    /// A program that forks for each input.
    Fork,
    /// A library, in a process that forks for each input.
    ForkLibrary,
    /// A library, in one process for all inputs.
    Inline,
}

impl Way {
    pub const ALL: [Way; 4] = [Way::Exec, Way::Fork, Way::ForkLibrary, Way::Inline];

    fn mode(self) -> &'static str {
        match self {
            Way::Exec => "exec",
            Way::Fork | Way::ForkLibrary => "fork",
            Way::Inline => "inline",
        }
    }

    fn is_library(self) -> bool {
        matches!(self, Way::ForkLibrary | Way::Inline)
    }
}

/// A target and pairs for it.
pub struct Trial {
    folder: tempfile::TempDir,
    target: &'static str,
}

/// What was measured.
pub struct Measured {
    pub run: Run,
    pub document: Value,
}

impl Trial {
    /// A target of `tests/targets`, and pairs, each with the text of its sides.
    pub fn new(target: &'static str, pairs: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (number, sides) in pairs.iter().enumerate() {
            let pair = folder.path().join(format!("pairs/trial/{number}"));
            fs::create_dir_all(&pair).unwrap();
            fs::write(pair.join("a.txt"), sides.0).unwrap();
            fs::write(pair.join("b.txt"), sides.1).unwrap();
        }
        Trial { folder, target }
    }

    /// The folder in which metacov runs.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The command that measures.
    pub fn command(&self, way: Way, options: &[&str]) -> Command {
        let target = built(self.target, way.is_library());
        self.command_for(&target, &[&["--mode", way.mode()], options].concat())
    }

    /// The same, for a target in another folder.
    pub fn command_for(&self, target: &Path, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        command.args(["measure", "--pairs", "pairs", "--format", "json"]);
        command.args(["-o", "mc.json"]).args(options).arg("--").arg(target).arg("@@");
        command.current_dir(self.folder());
        command
    }

    /// Measures, which must succeed.
    #[track_caller]
    pub fn measure(&self, way: Way, options: &[&str]) -> Measured {
        self.outcome(&mut self.command(way, options))
    }

    /// The result of a command that measures, which must succeed.
    #[track_caller]
    pub fn outcome(&self, command: &mut Command) -> Measured {
        let run = of(command).ok();
        Measured { run, document: self.result() }
    }

    /// The last result.
    pub fn result(&self) -> Value {
        let document = fs::read(self.folder.path().join("mc.json")).unwrap();
        serde_json::from_slice(&document).unwrap()
    }

    /// The command lines of all processes that run in the folder: metacov and all its descendants.
    pub fn processes(&self) -> Vec<String> {
        let folder = self.folder();
        let is_here = |process: &fs::DirEntry| {
            fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == folder)
        };
        let processes = fs::read_dir("/proc").unwrap().flatten().filter(is_here);
        let words = processes.map(|process| fs::read(process.path().join("cmdline")));
        words.flatten().map(|words| String::from_utf8_lossy(&words).replace('\0', " ")).collect()
    }
}

impl Measured {
    /// The functions that ran in one side only, of any pair.
    pub fn functions(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.differing("functions", |entry| &entry["name"]).collect();
        names.sort_unstable();
        names
    }

    /// The lines that ran in one side only, of any pair.
    pub fn lines(&self) -> Vec<&Value> {
        self.entries("lines")
            .filter(|entry| entry["pairs"] != 0)
            .map(|entry| &entry["line"])
            .collect()
    }

    /// How many pairs could be measured.
    pub fn pairs(&self) -> u64 {
        self.document["total"]["pairs"].as_u64().unwrap()
    }

    /// How many could not, and why.
    pub fn failed(&self) -> Vec<(&str, u64)> {
        let failed = self.document["total"]["failed"].as_object().unwrap();
        let failed = failed.iter().map(|(why, count)| (why.as_str(), count.as_u64().unwrap()));
        failed.filter(|(_, count)| *count > 0).collect()
    }

    fn differing<'m>(
        &'m self,
        kind: &'static str,
        name: impl Fn(&'m Value) -> &'m Value,
    ) -> impl Iterator<Item = &'m str> {
        let entries = self.entries(kind).filter(|entry| entry["pairs"] != 0);
        entries.map(move |entry| name(entry).as_str().unwrap())
    }

    fn entries(&self, kind: &'static str) -> impl Iterator<Item = &Value> {
        let files = self.document["files"].as_array().unwrap().iter();
        files.flat_map(move |file| file[kind].as_array().unwrap())
    }
}

/// Waits until a condition holds.
#[track_caller]
pub fn wait_until(what: impl Fn() -> bool) {
    assert!((0..2000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        what()
    }));
}

/// `metacov cc`, with a separate cache for its runtime.
pub fn metacov_cc() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.arg("cc").env("METACOV_CACHE", cache());
    command
}

pub fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

type Built = BTreeMap<(&'static str, bool), Arc<OnceLock<PathBuf>>>;

/// A target, built once for all tests.
pub fn built(target: &'static str, as_library: bool) -> PathBuf {
    static BUILT: Mutex<Built> = Mutex::new(BTreeMap::new());
    let mut all = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let own = all.entry((target, as_library)).or_default().clone();
    drop(all);
    own.get_or_init(|| build(target, as_library)).clone()
}

fn build(target: &str, as_library: bool) -> PathBuf {
    let kind = if as_library { "library" } else { "program" };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("targets/{target}/{kind}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    compile(target, as_library, &folder)
}

/// Builds a target in a folder.
pub fn compile(target: &str, as_library: bool, folder: &Path) -> PathBuf {
    let source = format!("{target}.c");
    fs::copy(repository().join("tests/targets").join(target).join(&source), folder.join(&source))
        .unwrap();
    let name = if as_library { "library.so" } else { "program" };
    let mut cc = metacov_cc();
    cc.args(["-O0", "-pthread", &source, "-o", name]).current_dir(folder);
    of(cc.args(as_library.then_some(["-shared", "-fPIC"]).iter().flatten())).ok();
    folder.join(name)
}
