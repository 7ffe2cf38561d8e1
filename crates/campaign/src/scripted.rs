//! A target whose tests, covers and outcomes are given by a function, for tests without an engine.

mod language;
mod session;

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use metacov_core::{
    Facts, Input, Judge, Language, Method, Outcome, Pair, RelationInfo, Rng, SetupStep, Subject,
    Test,
};
use metacov_exec::{Artifact, BuildOptions, OpenOptions, Session, Target};

pub(crate) use self::language::Words;
use self::session::{ScriptedCapture, ScriptedSession, Table};
use crate::worker::host::WorkerOptions;
use crate::worker::link::Launch;
use crate::worker::protocol::{Coverage, TargetOptions, WorkerConfig};

/// A target that does what a function says.
pub struct ScriptedTarget {
    /// The method that makes its tests.
    pub method: &'static dyn Method,
    /// What it does with each statement.
    pub script: fn(&Scene<'_>) -> Reply,
}

/// A statement, and the state that it runs on.
pub struct Scene<'s> {
    /// The statements that made the state, all of which begin with `make`.
    pub state: &'s [String],
    /// The statement.
    pub statement: &'s str,
    /// Whether the library has counters.
    pub is_measured: bool,
}

/// What a target does with a statement.
pub struct Reply {
    /// The lines of `script.c` that it runs, from zero and below [`LINES`].
    pub lines: Vec<u32>,
    /// What happens to it.
    pub effect: Effect,
}

/// What happens to a statement.
pub enum Effect {
    /// It returns rows of one number each.
    Rows(Vec<i64>),
    /// It fails with this code.
    Error(i32),
    /// The process that runs the tests is killed by this signal, and the worker starts another.
    Crash(i32),
    /// The worker itself exits with this code.
    Exit(i32),
    /// It does not return.
    Hang,
}

/// How many lines a scripted target has: eight in each of eight functions, `f0` to `f7`.
pub const LINES: u32 = 64;

impl Reply {
    /// The reply of a target without faults: both sides of a test return its number. `make d` runs
    /// line d, `make <mutator> d` line 10 + d. Of a test with the number xyz, side a runs the lines
    /// y and 20 + z, side b the line 30 + z.
    pub fn usual(scene: &Scene<'_>) -> Self {
        let words: Vec<&str> = scene.statement.split_whitespace().collect();
        let digit = |text: &str, at: u32| text.parse().unwrap_or(0) / 10_u32.pow(at) % 10;
        let lines = match words[..] {
            ["make", number] => vec![digit(number, 0)],
            ["make", _, number] => vec![10 + digit(number, 0)],
            ["a", _, number] => vec![digit(number, 1), 20 + digit(number, 0)],
            ["b", _, number] => vec![30 + digit(number, 0)],
            _ => Vec::new(),
        };
        let number = words.last().and_then(|word| word.parse().ok());
        Reply { lines, effect: Effect::Rows(number.into_iter().collect()) }
    }

    /// The same with another effect.
    pub fn with(scene: &Scene<'_>, effect: Effect) -> Self {
        Reply { effect, ..Self::usual(scene) }
    }
}

impl ScriptedTarget {
    /// Its library, with or without counters.
    pub fn config(is_measured: bool) -> WorkerConfig {
        let coverage = is_measured.then(|| Coverage {
            notes: PathBuf::new(),
            has_own_notes: false,
            prefix_map: Vec::new(),
            filter: Vec::new(),
            exclude: Vec::new(),
            blocks: false,
            notes_cache: None,
        });
        WorkerConfig {
            target: "scripted".to_owned(),
            library: PathBuf::new(),
            steps_max: 0,
            time_max: Duration::MAX,
            options: TargetOptions::default(),
            compared: Vec::new(),
            coverage,
        }
    }

    /// Options for workers in threads of this process.
    ///
    /// # Panics
    /// If there are no workers.
    pub fn options<'c>(
        &'static self,
        config: &'c WorkerConfig,
        workers: usize,
        interrupted: &'c AtomicBool,
    ) -> WorkerOptions<'c> {
        WorkerOptions {
            workers: NonZero::new(workers).expect("tests have workers"),
            launch: Launch::Thread(self),
            ..WorkerOptions::new(self, config, interrupted)
        }
    }

    pub(crate) fn session(&self, is_measured: bool) -> (ScriptedSession, Option<ScriptedCapture>) {
        let session = ScriptedSession::new(self.script, is_measured);
        let capture = is_measured.then(|| session.capture(Table::new()));
        (session, capture)
    }
}

impl Target for ScriptedTarget {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn method(&self) -> &'static dyn Method {
        self.method
    }

    fn default_version(&self) -> &'static str {
        "1"
    }

    fn versions(&self) -> Vec<&'static str> {
        vec!["1"]
    }

    fn find(&self, _: &str, _: &Path) -> io::Result<Option<Artifact>> {
        Ok(None)
    }

    fn build(&self, _: &str, _: &BuildOptions<'_>) -> io::Result<Artifact> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn open(&self, _: &Path, options: &OpenOptions<'_>) -> io::Result<Box<dyn Session>> {
        Ok(Box::new(self.session(options.is_measured).0))
    }
}

/// Two relations, `same` and `other`. A state is made by three statements `make <digit>` and
/// changed by `make <mutator> <digit>`. The sides of a test are `a <relation> <number>` and
/// `b <relation> <number>`, with a number below 1000.
pub struct Scripted;

/// The same without mutators.
pub struct Unchanging;

const RELATIONS: &[RelationInfo] = &[
    RelationInfo { name: "same", about: "both sides return the same" },
    RelationInfo { name: "other", about: "both sides return the same, otherwise" },
];

impl Method for Scripted {
    fn relations(&self) -> &'static [RelationInfo] {
        RELATIONS
    }

    fn mutators(&self) -> &'static [&'static str] {
        &["one", "two"]
    }

    fn subject(&self, _: &Facts) -> Box<dyn Subject> {
        Box::new(Steps { left: 3, mutator: None })
    }

    fn language(&self) -> &'static dyn Language {
        &Words
    }
}

impl Method for Unchanging {
    fn relations(&self) -> &'static [RelationInfo] {
        RELATIONS
    }

    fn mutators(&self) -> &'static [&'static str] {
        &[]
    }

    fn subject(&self, facts: &Facts) -> Box<dyn Subject> {
        Scripted.subject(facts)
    }

    fn language(&self) -> &'static dyn Language {
        &Words
    }
}

/// Statements that make or change a state.
struct Steps {
    left: usize,
    mutator: Option<usize>,
}

impl Subject for Steps {
    fn next_setup(&mut self, rng: &mut Rng) -> Option<SetupStep> {
        self.left = self.left.checked_sub(1)?;
        let digit = rng.below(10);
        let statement = match self.mutator {
            None => format!("make {digit}"),
            Some(mutator) => format!("make {} {digit}", Scripted.mutators()[mutator]),
        };
        Some(SetupStep { kind: "step", statement })
    }

    fn accept(&mut self, _: &Outcome) {}

    fn derive(&self, relation: usize, rng: &mut Rng) -> Test {
        let number = rng.below(1000);
        let side = |name: &str| Input::of(format!("{name} {relation} {number}"));
        Test::new(Pair { a: side("a"), b: side("b") }, Judge::Bag, Vec::new())
    }

    fn mutate(&mut self, mutator: usize) {
        (self.left, self.mutator) = (1, Some(mutator));
    }
}
