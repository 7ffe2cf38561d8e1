//! Mutants: pairs of the calculator and of SQLite, and what becomes of each mutant that they reach.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::run::{self, Run};
use crate::sqlite;

fn metacov(folder: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.env("METACOV_CACHE", folder.join("cache")).current_dir(folder);
    run::of(command.args(args))
}

/// The kill matrix: by pair and mutant, the verdict.
fn matrix(folder: &Path, run: &str, options: &[&str]) -> BTreeMap<String, String> {
    let csv = format!("{run}.csv");
    metacov(folder, &[&["mutants", run, "--csv", &csv], options].concat()).ok();
    let text = std::fs::read_to_string(folder.join(csv)).unwrap();
    let cells = text.lines().skip(1).map(|line| {
        let (key, verdict) = line.rsplit_once(',').unwrap();
        (key.to_owned(), verdict.to_owned())
    });
    cells.collect()
}

fn killed(matrix: &BTreeMap<String, String>) -> Vec<&String> {
    matrix.iter().filter(|(_, verdict)| *verdict == "killed").map(|(key, _)| key).collect()
}

#[test]
fn mutants_of_the_calculator_are_killed_stored_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    metacov(folder, &["target", "build", "calculator"]).ok();
    metacov(folder, &["measure", "calculator", "--count", "6", "-o", "run.metacov"]).ok();
    for copy in ["first", "second", "start"] {
        let copy = folder.join(format!("{copy}.metacov"));
        std::fs::copy(folder.join("run.metacov"), copy).unwrap();
    }
    let shown = metacov(folder, &["mutants", "run.metacov"]).ok().stdout;
    assert!(shown.starts_with("relation "), "{shown}");
    assert!(
        shown.contains("cxx_add_to_sub") && shown.contains("Mutants reached on MC lines"),
        "{shown}"
    );
    let whole = matrix(folder, "run.metacov", &[]);
    let verdicts = |name: &str| whole.values().filter(|verdict| *verdict == name).count();
    assert!(verdicts("killed") > 0 && verdicts("survived") > 0, "{shown}");
    // A complete run is shown again as it is.
    assert_eq!(metacov(folder, &["mutants", "run.metacov"]).ok().stdout, shown);

    // Two halves on two machines, merged, are the whole.
    let first = matrix(folder, "first.metacov", &["--shard", "1/2"]);
    let second = matrix(folder, "second.metacov", &["--shard", "2/2"]);
    assert_eq!(first.len() + second.len(), whole.len());
    let said = metacov(folder, &["mutants", "second.metacov", "--sample", "5"]).failed(1);
    assert!(said.contains("another choice of mutants"), "{said}");
    metacov(folder, &["merge", "-o", "both.metacov", "first.metacov", "second.metacov"]).ok();
    assert_eq!(killed(&matrix(folder, "both.metacov", &[])), killed(&whole));
    metacov(folder, &["check", "both.metacov"]).ok();

    // Verdicts do not depend on when a mutant is set on: at its first reach, or at the start of a new process.
    let said = metacov(folder, &["mutants", "start.metacov", "--compare"]).ok().stderr;
    let expected = format!("{} verdicts, 0 of them different in a new process", whole.len());
    assert!(said.contains(&expected), "{said}");

    // A choice of mutants is kept, and another one is refused.
    let options = ["--again", "--sample", "20", "--operators", "cxx_add_to_sub,cxx_eq_to_ne"];
    let sample = matrix(folder, "first.metacov", &options);
    assert!(!sample.is_empty() && sample.keys().all(|key| whole.contains_key(key)));
    assert_eq!(matrix(folder, "first.metacov", &[]), sample);
    let said = metacov(folder, &["mutants", "run.metacov", "--operators", "odd"]).failed(2);
    assert!(said.contains("not an operator (known: cxx_pre_inc_to_pre_dec, "), "{said}");
}

#[test]
fn a_run_that_is_killed_continues_to_the_same_matrix() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    metacov(folder, &["target", "build", "calculator"]).ok();
    metacov(folder, &["measure", "calculator", "--count", "6", "-o", "whole.metacov"]).ok();
    std::fs::copy(folder.join("whole.metacov"), folder.join("killed.metacov")).unwrap();
    let whole = matrix(folder, "whole.metacov", &[]);
    for milliseconds in [100, 300, 500, 700] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        command.env("METACOV_CACHE", folder.join("cache")).current_dir(folder);
        command.args(["-q", "mutants", "killed.metacov", "-j", "1"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let killed_run = matrix(folder, "killed.metacov", &[]);
    assert_eq!(killed_run, whole);
    metacov(folder, &["check", "killed.metacov"]).ok();
    metacov(folder, &["check", "killed.metacov", "--repair", "repaired.metacov"]).ok();
    assert_eq!(matrix(folder, "repaired.metacov", &[]), killed_run);
}

#[test]
fn a_run_without_a_target_has_no_mutants() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let report = |name: &str, count: u32| {
        let text = format!("SF:a.c\nDA:1,{count}\nend_of_record\n");
        std::fs::write(folder.join(name), text).unwrap();
    };
    report("a.info", 1);
    report("b.info", 0);
    metacov(folder, &["diff", "a.info", "b.info", "-o", "run.metacov"]).ok();
    let said = metacov(folder, &["mutants", "run.metacov"]).failed(2);
    assert!(said.contains("not pairs of a target: give the program"), "{said}");
}

#[test]
fn a_missing_compiler_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.env("PATH", folder.path()).args(["cc", "--mutants", "-c", "a.c"]);
    let said = run::of(&mut command).failed(1);
    assert!(
        said.contains("clang-19 is not installed: mutants need the package clang-19"),
        "{said}"
    );
}

/// The quick form of what `docs/mutants.md` shows for SQLite.
#[test]
fn mutants_of_sqlite_are_killed_by_its_relations() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let cache = sqlite::folder().join("cache");
    let metacov = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        run::of(command.env("METACOV_CACHE", &cache).current_dir(folder).args(args))
    };
    metacov(&[
        "measure",
        "sqlite",
        "--relation",
        "norec,tlp-where",
        "--count",
        "1",
        "-o",
        "run.metacov",
    ])
    .ok();
    let done = metacov(&["mutants", "run.metacov", "--sample", "500", "--compare"]).ok();
    let row = done.row(&["all", "2"]);
    let reached: u32 = row[2].parse().unwrap();
    assert!(reached > 20, "{}", done.stdout);
    assert!(done.stderr.contains(" 0 of them different in a new process"), "{}", done.stderr);
}
