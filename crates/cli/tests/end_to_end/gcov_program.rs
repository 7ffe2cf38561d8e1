//! A target as a program that counts with libgcov: the objects of its build, linked once more.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Lines, by file and number.
pub type Lines = BTreeSet<(String, u64)>;

pub struct GcovProgram {
    program: PathBuf,
    folder: PathBuf,
    build: PathBuf,
}

impl GcovProgram {
    /// Links the objects in the folder of a build with a main file.
    pub fn link(build: &Path, main: &Path, links: &[&str], folder: &Path) -> Self {
        let program = folder.join("program");
        let mut gcc = Command::new("gcc");
        gcc.arg(main).args(with_ending(build, "o")).arg("-o").arg(&program);
        assert!(gcc.args(links).arg("-lgcov").status().unwrap().success());
        GcovProgram { program, folder: folder.to_owned(), build: build.to_owned() }
    }

    /// The lines that the program runs, without headers of the system.
    pub fn lines(&self, arguments: &[&str]) -> Lines {
        let counters = self.folder.join("counters");
        let _ = fs::remove_dir_all(&counters);
        // Objects are compiled in a folder of that folder.
        let compiled_in = fs::read_to_string(self.build.join("folder")).unwrap();
        let levels = (compiled_in.matches('/').count() + 1).to_string();
        let mut run = Command::new(&self.program);
        run.env("GCOV_PREFIX", &counters).env("GCOV_PREFIX_STRIP", levels);
        run.args(arguments).output().unwrap();
        let data = with_ending(&counters, "gcda");
        assert!(!data.is_empty(), "{arguments:?}: no counters");
        for path in &data {
            let notes = Path::new(path.file_name().unwrap()).with_extension("gcno");
            fs::copy(self.build.join(&notes), counters.join(&notes)).unwrap();
        }
        let mut gcov = Command::new("gcov");
        gcov.args(["--json-format", "--stdout"]).args(data).current_dir(&counters);
        let output = gcov.output().unwrap();
        let mut lines = Lines::new();
        for text in String::from_utf8(output.stdout).unwrap().lines() {
            let report: Value = serde_json::from_str(text).unwrap();
            for file in report["files"].as_array().unwrap() {
                let name = file["file"].as_str().unwrap();
                if name.starts_with('/') {
                    continue;
                }
                let name = without_parents(name);
                for line in file["lines"].as_array().unwrap() {
                    if line["count"].as_u64().unwrap() > 0 {
                        lines.insert((name.clone(), line["line_number"].as_u64().unwrap()));
                    }
                }
            }
        }
        lines
    }
}

/// The path without `..`. gcov lists a header once for each way in which its path is written in an `#include`.
fn without_parents(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// The lines with counts in a file of lcov, as `metacov measure -o` writes it.
pub fn counted_lines(path: &Path) -> Lines {
    let text = fs::read_to_string(path).unwrap();
    let (mut lines, mut file) = (Lines::new(), "");
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            file = path.trim_start_matches('/');
            assert!(!file.starts_with("usr/"), "{file}: headers of the system do not count");
        }
        let counted = line.strip_prefix("DA:").and_then(|line| line.split_once(','));
        if let Some((number, count)) = counted.filter(|(_, count)| *count != "0") {
            assert!(count.parse::<u64>().is_ok(), "{line}");
            lines.insert((file.to_owned(), number.parse().unwrap()));
        }
    }
    lines
}

fn with_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}
