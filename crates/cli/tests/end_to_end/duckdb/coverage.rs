//! Coverage of DuckDB: of a small engine with its interface, and of a release, compared with gcov.

use std::fs;
use std::path::{Path, PathBuf};

use super::{CACHE, metacov};
use crate::gcov_program::{GcovProgram, Lines, counted_lines};
use crate::run::repository;

fn source(name: &str) -> PathBuf {
    repository().join("tests/targets/duckdb").join(name)
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
    let lines = counted_lines(&folder.path().join("mc.info"));
    let numbers: Vec<u64> = lines.into_iter().map(|(_, number)| number).collect();
    assert_eq!(numbers, [line(&text, "unions++;")]);
}

/// The quick study of the repository, with small suites, and the overlap of known bugs, those of `METACOV_CORPUS`, with their fixes.
#[test]
#[ignore = "compiles DuckDB: cargo test -p metacov --test end_to_end duckdb -- --ignored"]
fn a_quick_study_prints_the_papers_rows() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| metacov(folder.path(), &CACHE, args);
    let study = fs::read_to_string(repository().join("studies/duckdb.toml")).unwrap();
    let corpus = std::env::var("METACOV_CORPUS").expect("METACOV_CORPUS names a corpus of DuckDB");
    let corpus = &*corpus;
    let study = study.replace("[50, 100, 200]", "[3, 100]").replace("suites = 3", "suites = 1");
    fs::write(folder.path().join("duckdb.toml"), study).unwrap();
    let args = ["study", "run", "duckdb.toml", "--quick", "--out", "results", "--corpus", corpus];
    let study = run(&args).ok();
    for relation in ["norec", "tlp-aggregate", "tlp-distinct", "tlp-groupby", "tlp-having"] {
        assert_eq!(study.row(&[relation]).len(), 10, "{study:?}");
    }
    for number in ["5.97 %", "0.94", "15 of 20"] {
        assert!(study.stdout.contains(number), "{number}: {study:?}");
    }
    let overlap = run(&["overlap", "--corpus", corpus]).ok();
    let bugs = overlap.stdout.lines().filter(|line| line.starts_with("duckdb-")).count();
    assert!(bugs >= 10, "{overlap:?}");
}

/// Mutants have the verdicts of new processes. Compiles DuckDB 0.1.6 with counters and with mutants.
#[test]
#[ignore = "compiles DuckDB: cargo test -p metacov --test end_to_end duckdb -- --ignored"]
fn mutants_have_the_verdicts_of_new_processes() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| metacov(folder.path(), &CACHE, args);
    run(&["target", "build", "duckdb@0.1.6"]).ok();
    let measure = ["measure", "duckdb@0.1.6", "--relation", "norec,tlp-where", "--count", "1"];
    run(&[&measure[..], &["-o", "run.metacov"]].concat()).ok();
    let done = run(&["mutants", "run.metacov", "--sample", "300", "--compare"]).ok();
    let row = done.row(&["all", "2"]);
    assert!(row[2].parse::<u32>().unwrap() > 10, "{}", done.stdout);
    assert!(done.stderr.contains(" 0 of them different in a new process"), "{}", done.stderr);
}

/// The lines of DuckDB are those of real gcov, with a process for each side. Compiles DuckDB: 0.1.6 in two
/// minutes of processor time, `METACOV_DUCKDB=0.5.1` in half an hour.
#[test]
#[ignore = "compiles DuckDB: cargo test -p metacov --test end_to_end duckdb -- --ignored"]
fn lines_of_a_release_are_those_of_real_gcov() {
    let version = std::env::var("METACOV_DUCKDB").unwrap_or_else(|_| "0.1.6".to_owned());
    let name = format!("duckdb@{version}");
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| metacov(folder.path(), &CACHE, args);
    run(&["target", "build", &name]).ok();
    let build = run(&["target", "path", &name]).ok().stdout;
    let links = ["-lstdc++", "-lpthread", "-ldl", "-lm"];
    let program =
        GcovProgram::link(Path::new(build.trim()), &source("statements.c"), &links, folder.path());
    let suite = ["--count", "2", "--databases", "2", "--seed", "3"];
    let relations =
        ["norec", "tlp-where", "tlp-groupby", "tlp-having", "tlp-distinct", "tlp-aggregate"];
    let mut compared = 0;
    for relation in relations {
        let only = ["--relation", relation];
        run(&[&["gen", &name, "--out", relation][..], &suite, &only].concat()).ok();
        let pairs: Vec<PathBuf> = fs::read_dir(folder.path().join(relation).join(relation))
            .unwrap()
            .map(|pair| pair.unwrap().path())
            .collect();
        let output = format!("{relation}.info");
        let measure = ["measure", &name, "-o", &output];
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
            let side = |name: &str| program.lines(&[pair.join(name).to_str().unwrap()]);
            let (a, b) = (side("a.sql"), side("b.sql"));
            right.extend(a.symmetric_difference(&b).cloned());
        }
        assert_eq!(counted_lines(&folder.path().join(&output)), right, "{relation}");
        compared += pairs.len();
    }
    assert!(compared >= 8, "only {compared} pairs could be compared");
}
