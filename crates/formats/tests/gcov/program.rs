//! A program that is compiled here, and checked run by run.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use metacov_formats::{CoverageLoader, FileSpec, Scope};

use crate::memory::Memory;
use crate::{blocks, oracle};

pub struct Program {
    folder: tempfile::TempDir,
    units: Vec<PathBuf>,
    /// One loader for all runs, so that what it caches between runs is tested too.
    loader: RefCell<CoverageLoader<'static>>,
    /// A loader that reads blocks.
    blocks: RefCell<CoverageLoader<'static>>,
}

impl Program {
    /// Compiles each source separately, so that the notes have the sources' names.
    pub fn build(compiler: &str, options: &[&str], sources: &[PathBuf]) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().canonicalize().unwrap();
        let mut units = Vec::new();
        for source in sources {
            let name = Path::new(source.file_name().unwrap());
            fs::copy(source, folder.join(name)).unwrap();
            if name.extension().unwrap() != "h" {
                units.push(folder.join(name).with_extension("gcda"));
            }
        }
        let names = units.iter().map(|unit| {
            let source = sources.iter().find(|source| source.file_stem() == unit.file_stem());
            source.unwrap().file_name().unwrap()
        });
        let mut command = Command::new(compiler);
        run(command.args(options).args(["--coverage", "-c"]).args(names).current_dir(&folder));
        let objects = units.iter().map(|unit| unit.with_extension("o"));
        let mut command = Command::new(compiler);
        command.args(["--coverage", "-o", "program"]).args(objects).arg("-lm");
        run(command.current_dir(&folder));
        let loader = |blocks: bool| {
            let scope = Scope { blocks, ..Scope::default() };
            RefCell::new(CoverageLoader::new(Box::leak(Box::new(scope))))
        };
        Program { folder: temporary, units, loader: loader(false), blocks: loader(true) }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs the program, and compares the results of its counters with gcov's.
    pub fn check(&self, words: &[&str]) {
        let what = words.join(" ");
        // It may fail, as long as it ends in a way that writes counters.
        Command::new("./program").args(words).current_dir(self.folder()).output().unwrap();
        let mut gcov = Command::new("gcov");
        gcov.args(["--json-format", "--branch-probabilities", "--stdout"]).args(&self.units);
        let json = run(gcov.current_dir(self.folder())).stdout;
        let pairs: Vec<_> = self.units.iter().map(|unit| (unit.clone(), unit.clone())).collect();
        let memory = Memory::of(&pairs);
        let mut loader = self.loader.borrow_mut();

        let right = oracle::units(&json);
        let ours = self.units.iter().map(|unit| loader.tell_file(unit).unwrap());
        oracle::assert_same(&ours.collect::<Vec<_>>(), &right, &what);
        let ours = loader.tell_snapshots(&[memory.snapshot()]).unwrap();
        oracle::assert_same(&ours, &right, &what);

        let mut with_blocks = self.blocks.borrow_mut();
        for (unit, right) in pairs.iter().zip(&right) {
            let memory = Memory::of(std::slice::from_ref(unit));
            let reading = with_blocks.read_snapshots(&[memory.snapshot()]).unwrap();
            blocks::assert_same(with_blocks.table(), &reading, right, &what);
        }

        let report = self.folder().join("gcov.json");
        fs::write(&report, json).unwrap();
        let files = |paths: &[PathBuf]| -> Vec<FileSpec> {
            let spec = |path: &PathBuf| FileSpec { path: path.clone(), context: None };
            paths.iter().map(spec).collect()
        };
        let right = loader.read_side(&files(&[report])).unwrap();
        let read = [
            ("memory", loader.read_snapshots(&[memory.snapshot()]).unwrap()),
            ("files", loader.read_side(&files(&self.units)).unwrap()),
        ];
        for (from, reading) in read {
            assert_eq!(reading.known, right.known, "{what}: sites that {from} know");
            assert_eq!(reading.executed, right.executed, "{what}: sites that {from} have run");
        }
        assert!(!right.executed.is_empty());
        self.units.iter().for_each(|unit| fs::remove_file(unit).unwrap());
    }
}

/// Runs a command that must succeed.
#[track_caller]
pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output
}
