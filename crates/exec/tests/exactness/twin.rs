//! One set of objects, linked twice: with libgcov and with metacov's runtime.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use metacov_formats::{CoverageLoader, FileSpec, Scope};
use metacov_runtime::{Compiler, Runtime};

use crate::arena::Arena;
use crate::oracle;

/// An executable, or a shared library if its name says so, and its sources.
pub struct Image<'a> {
    pub name: &'a str,
    pub sources: &'a [&'a str],
    /// Additional arguments of the linker.
    pub links: &'a [&'a str],
}

/// The compiler, and the gcov that reads its files.
#[derive(Clone, Copy)]
pub struct Tools {
    pub c: &'static str,
    pub cpp: &'static str,
    pub gcov: &'static str,
}

pub const GCC: Tools = Tools { c: "gcc", cpp: "g++", gcov: "gcov" };
pub const GCC_11: Tools = Tools { c: "gcc-11", cpp: "g++-11", gcov: "gcov-11" };

pub struct Twin {
    folder: tempfile::TempDir,
    tools: Tools,
    /// One loader for all runs, so that what it caches between runs is tested too.
    loader: RefCell<CoverageLoader<'static>>,
}

impl Twin {
    /// Compiles the sources of a folder and links its images in this order. An image may link those
    /// before it.
    pub fn build(
        tools: Tools,
        options: &[&str],
        sources: &[PathBuf],
        images: &[Image<'_>],
    ) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        for source in sources {
            fs::copy(source, folder.join(source.file_name().unwrap())).unwrap();
        }
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime");
        let runtime = Runtime::install(&Compiler::of(tools.c.as_ref()), &cache).unwrap();
        let [_, isolating, search] = <[OsString; 3]>::try_from(runtime.compile_flags()).unwrap();
        let ours = [search, runtime.link_flag()];
        for (flags, side) in [(&[][..], "libgcov"), (&ours, "metacov")] {
            fs::create_dir(folder.join(side)).unwrap();
            for Image { name, sources, links } in images {
                let is_library = name.contains(".so");
                let ending = |name: &&str| Path::new(name).extension().map(ToOwned::to_owned);
                let is_cpp = sources.iter().filter_map(ending).any(|ending| ending == "cpp");
                let compiler = if is_cpp { tools.cpp } else { tools.c };
                let mut objects = Vec::new();
                for source in *sources {
                    let object = Path::new(source).with_extension("o");
                    let mut compile = Command::new(compiler);
                    compile.args(options).arg("--coverage").arg(&isolating);
                    compile.args(is_library.then_some("-fPIC")).args(["-c", source]);
                    if side == "libgcov" {
                        run(compile.current_dir(folder));
                    }
                    objects.push(object);
                }
                let mut link = Command::new(compiler);
                link.args(flags).args(options).arg("--coverage").args(objects);
                link.args(is_library.then_some("-shared"))
                    .arg("-o")
                    .arg(Path::new(side).join(name));
                link.args(["-L", side, "-Wl,-rpath,$ORIGIN"]).args(*links);
                run(link.current_dir(folder));
            }
        }
        let scope: &'static Scope = Box::leak(Box::default());
        let loader = RefCell::new(CoverageLoader::new(scope));
        Twin { folder: temporary, tools, loader }
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes this text to a file, and returns its name.
    pub fn file(&self, text: &str) -> String {
        fs::write(self.folder().join("input"), text).unwrap();
        "input".to_owned()
    }

    /// Runs both programs, and compares the counts of metacov's runtime with what gcov reports for
    /// libgcov's files: lines, branches with their counts, functions with their counts and blocks.
    #[track_caller]
    pub fn check(&self, words: &[&str]) {
        let what = words.join(" ");
        let right = self.command("libgcov", words).output().unwrap();
        let arena = Arena::new();
        let mut ours = self.command("metacov", words);
        let output = ours.env("METACOV_COUNTERS", arena.path()).output().unwrap();
        assert_eq!(output, right, "{what}: output");

        let data = self.data();
        let mut gcov = Command::new(self.tools.gcov);
        gcov.args(["--json-format", "--branch-probabilities", "--stdout"]).args(&data);
        let json = run(gcov.current_dir(self.folder())).stdout;
        let records = arena.records();
        let mut loader = self.loader.borrow_mut();
        let units = loader.tell_snapshots(&records.snapshots());
        let mut units = units.unwrap_or_else(|error| panic!("{what}: {error}"));
        units.sort_by(|left, right| left.data.cmp(&right.data));
        assert_eq!(units.iter().map(|unit| &unit.data).collect::<Vec<_>>(), Vec::from_iter(&data));
        oracle::assert_same(&units, &oracle::units(&json), &what);

        let report = self.folder().join("gcov.json");
        fs::write(&report, json).unwrap();
        let right = loader.read_side(&[FileSpec { path: report, context: None }]).unwrap();
        let reading = loader.read_snapshots(&records.snapshots()).unwrap();
        assert_eq!(reading.known, right.known, "{what}: sites");
        assert_eq!(reading.executed, right.executed, "{what}: sites that ran");
        assert!(!right.executed.is_empty(), "{what}");
        for data in data {
            fs::remove_file(data).unwrap();
        }
    }

    fn command(&self, side: &str, words: &[&str]) -> Command {
        let mut command = Command::new(self.folder().join(side).join("program"));
        command.args(words).current_dir(self.folder()).env_remove("METACOV_COUNTERS");
        command
    }

    /// The files that libgcov has written.
    fn data(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.folder()).unwrap().map(|entry| entry.unwrap().path());
        let is_data = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "gcda");
        let mut data: Vec<PathBuf> = files.filter(is_data).collect();
        data.sort_unstable();
        data
    }
}

#[track_caller]
fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output
}
