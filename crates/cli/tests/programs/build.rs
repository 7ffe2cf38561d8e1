//! A program's sources in a folder where they can be built, and its inputs.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_runtime::EXACT_LINES;

use crate::pairs::Pairs;
use crate::programs::Program;
use crate::repository;

/// How a program is optimised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Unoptimized,
    /// The level of its authors.
    Own,
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Level::Unoptimized => "at -O0",
            Level::Own => "at its own level",
        })
    }
}

/// The compiler of a program.
#[derive(Clone, Copy)]
pub enum Compiler {
    Metacov,
    /// Plain gcc, with the flags that `metacov cc` uses at the program's level, linked with gcc's
    /// own libgcov.
    Gcov,
}

impl Compiler {
    fn variables(self, level: Level) -> [(&'static str, String); 2] {
        match self {
            Compiler::Metacov => {
                let metacov = env!("CARGO_BIN_EXE_metacov");
                [("CC", format!("{metacov} cc")), ("CXX", format!("{metacov} c++"))]
            }
            Compiler::Gcov => {
                // At -O0, functions that must be inlined are inlined by the pass that these
                // disable.
                let exact_lines: &[&str] = match level {
                    Level::Unoptimized => &[],
                    Level::Own => &EXACT_LINES,
                };
                let flags = format!("--coverage -fdata-sections {}", exact_lines.join(" "));
                [("CC", format!("gcc {flags}")), ("CXX", format!("g++ {flags}"))]
            }
        }
    }
}

/// A folder with a program and its inputs.
pub struct Tree {
    pub program: &'static Program,
    level: Level,
    folder: tempfile::TempDir,
}

impl Tree {
    pub fn new(program: &'static Program, level: Level) -> Self {
        Tree { program, level, folder: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap() }
    }

    /// Builds the program from fresh sources.
    pub fn build(&mut self, compiler: Compiler) {
        let Program { name, version, quick, .. } = *self.program;
        let fetched = repository().join(format!("target/programs/{name}-{version}"));
        let script = if quick { "scripts/programs" } else { "scripts/programs all" };
        assert!(fetched.is_dir(), "the sources of {name} {version} are missing: run {script}");
        if self.sources().exists() {
            fs::remove_dir_all(self.sources()).unwrap();
        }
        copy(&fetched, &self.sources());
        let build = match self.level {
            Level::Unoptimized => self.program.build_unoptimized,
            Level::Own => self.program.build_own_level,
        };
        let mut shell = Command::new("sh");
        shell.args(["-c", build]).current_dir(self.sources());
        shell.env_remove("CFLAGS").env_remove("CXXFLAGS").envs(compiler.variables(self.level));
        let output = shell.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert!(
            output.status.success() && self.sources().join(self.program.executable).is_file(),
            "{name}: {build}\n{}",
            String::from_utf8_lossy(&said)
        );
    }

    /// Where the program is built.
    pub fn sources(&self) -> PathBuf {
        self.folder().join("sources")
    }

    /// The pairs of inputs in their original state: programs may write beside their inputs.
    pub fn fresh_pairs(&self) -> Pairs {
        let folder = self.folder().join("pairs");
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        copy(&inputs.join(self.program.name), &folder);
        Pairs::of(folder)
    }

    /// The program as a command that starts in the folder of its sources, and its arguments.
    pub fn command_line(&self) -> impl Iterator<Item = String> {
        let executable = format!("./{}", self.program.executable);
        std::iter::once(executable).chain(self.program.arguments.iter().map(ToString::to_string))
    }

    pub fn folder(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }
}

/// Copies a folder with its contents. Modification times are kept: build systems rebuild files that
/// are older than their sources.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), &to).unwrap();
            let changed = entry.metadata().unwrap().modified().unwrap();
            fs::File::options().append(true).open(&to).unwrap().set_modified(changed).unwrap();
        }
    }
}
