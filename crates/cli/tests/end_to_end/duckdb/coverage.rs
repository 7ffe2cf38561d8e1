//! Coverage of DuckDB: of a small engine with its interface, and of a release, compared with gcov.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{CACHE, metacov};
use crate::run::{self, repository};

/// Lines, by file name and number.
type Lines = BTreeSet<(String, u64)>;

fn source(name: &str) -> PathBuf {
    repository().join("tests/targets/duckdb").join(name)
}

/// The lines of MC in a file that `metacov measure` has written.
fn mc_lines(path: &Path) -> Lines {
    let text = fs::read_to_string(path).unwrap();
    let (mut lines, mut file) = (Lines::new(), String::new());
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            assert!(!path.starts_with("usr/"), "{path}: headers of the system do not count");
            Path::new(path).file_name().unwrap().to_str().unwrap().clone_into(&mut file);
        }
        let counted = line.strip_prefix("DA:").and_then(|line| line.split_once(','));
        if let Some((number, count)) = counted.filter(|(_, count)| *count != "0") {
            assert!(count.parse::<u64>().is_ok(), "{line}");
            lines.insert((file.clone(), number.parse().unwrap()));
        }
    }
    lines
}

/// The memory of the library is restored before each side: its first query differs in no pair.
#[test]
fn sides_start_from_the_same_state() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| metacov(folder.path(), &folder.path().join("cache"), args);
    let engine = source("engine.c");
    run(&["cc", "-O0", "-fPIC", "-shared", engine.to_str().unwrap(), "-o", "libduckdb.so"]).ok();
    let measure = ["measure", "duckdb", "--library", "libduckdb.so", "--relation", "tlp-where"];
    let suite = ["--count", "8", "--databases", "2", "-o", "mc.info"];
    run(&[&measure[..], &suite].concat()).ok();
    let text = fs::read_to_string(&engine).unwrap();
    let line = |text: &str, what: &str| {
        1 + text.lines().position(|line| line.trim() == what).unwrap() as u64
    };
    let lines = mc_lines(&folder.path().join("mc.info"));
    assert_eq!(lines, Lines::from([("engine.c".to_owned(), line(&text, "unions++;"))]));
}

/// The lines of DuckDB 0.1.6 are those of real gcov, with a process for each side. Compiles DuckDB
/// twice, in three minutes of processor time.
#[test]
#[ignore = "compiles DuckDB: cargo test -p metacov --test end_to_end duckdb -- --ignored"]
fn lines_of_a_release_are_those_of_real_gcov() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| metacov(folder.path(), &CACHE, args);
    run(&["target", "build", "duckdb@0.1.6"]).ok();
    let program = Program::build(run(&["target", "path", "duckdb@0.1.6"]).ok().stdout.trim());
    let suite = ["--count", "2", "--databases", "2", "--seed", "3"];
    let relations = ["norec", "tlp-where", "tlp-groupby", "tlp-distinct", "tlp-aggregate"];
    let mut compared = 0;
    for relation in relations {
        let only = ["--relation", relation];
        run(&[&["gen", "duckdb@0.1.6", "--out", relation][..], &suite, &only].concat()).ok();
        let pairs: Vec<PathBuf> = fs::read_dir(folder.path().join(relation).join(relation))
            .unwrap()
            .map(|pair| pair.unwrap().path())
            .collect();
        let output = format!("{relation}.info");
        let measure = ["measure", "duckdb@0.1.6", "-o", &output];
        let measured = run(&[&measure[..], &suite, &only].concat());
        // A pair without a verdict is left out, which gcov does not know.
        if !measured.stdout.lines().any(|line| line.starts_with(relation)) || measured.code != 0 {
            continue;
        }
        let row = measured.row(&[relation]);
        if row[1] != pairs.len().to_string() {
            continue;
        }
        let mut right = Lines::new();
        for pair in &pairs {
            let [a, b] = ["a.sql", "b.sql"].map(|side| program.lines(&pair.join(side)));
            right.extend(a.symmetric_difference(&b).cloned());
        }
        let ours = mc_lines(&folder.path().join(&output));
        assert_eq!(ours, right, "{relation}");
        compared += pairs.len();
    }
    assert!(compared >= 6, "only {compared} pairs could be compared");
}

/// DuckDB with a program that runs statements, counted by libgcov.
struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    fn build(sources: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["duckdb.cpp", "duckdb.hpp"] {
            fs::copy(Path::new(sources).join(name), folder.path().join(name)).unwrap();
        }
        let compile = |compiler: &str, words: &[&str]| {
            run::of(Command::new(compiler).current_dir(folder.path()).args(words)).ok();
        };
        let options = ["--coverage", "-std=c++11", "-O0", "-DNDEBUG", "-fPIC", "-w"];
        compile("g++", &[&options[..], &["-c", "duckdb.cpp"]].concat());
        compile("gcc", &["-c", source("statements.c").to_str().unwrap(), "-o", "statements.o"]);
        compile("g++", &["--coverage", "duckdb.o", "statements.o", "-o", "program", "-lpthread"]);
        Program { folder }
    }

    /// The lines of DuckDB that a file of statements runs, according to gcov.
    fn lines(&self, input: &Path) -> Lines {
        let folder = self.folder.path();
        let _ = fs::remove_file(folder.join("duckdb.gcda"));
        run::of(Command::new(folder.join("program")).arg(input)).ok();
        let mut gcov = Command::new("gcov");
        gcov.current_dir(folder).args(["--json-format", "--stdout", "duckdb.gcda"]);
        let report: Value = serde_json::from_str(&run::of(&mut gcov).ok().stdout).unwrap();
        let mut lines = Lines::new();
        for file in report["files"].as_array().unwrap() {
            let path = Path::new(file["file"].as_str().unwrap());
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            // Headers of the system are not part of DuckDB.
            if path.is_absolute() {
                continue;
            }
            let ran = file["lines"].as_array().unwrap().iter();
            let ran = ran.filter(|line| line["count"].as_u64().unwrap() > 0);
            lines.extend(ran.map(|line| (name.clone(), line["line_number"].as_u64().unwrap())));
        }
        lines
    }
}
