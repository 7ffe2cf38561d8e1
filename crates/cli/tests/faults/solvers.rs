//! Faults of solvers: programs that are run once for each input, and libraries with counters that are
//! called in a forked process.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::run::{self, Run, repository};

/// Checks a few pairs on a solver that is a shell script.
fn check(script: &str, options: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let solver = folder.path().join("solver");
    fs::write(&solver, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&solver, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.current_dir(folder.path()).args(["measure", "smt", "--no-coverage", "-v", "-j", "1"]);
    command.args(["--relation", "sae", "--count", "4", "--databases", "2"]);
    let solver = solver.to_str().unwrap();
    let run = run::of(command.args(["--command", solver]).args(options)).ok();
    let row = run.row(&["sae", "4"]);
    assert_eq!(row[3], "0", "violated: {row:?}");
    assert!(!is_running(Path::new(solver)), "the solver has not ended");
    run
}

/// Measures a few pairs on a solver that is a library with counters.
fn measure(answer: &str, options: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let metacov = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        run::of(command.current_dir(folder.path()).args(args))
    };
    let source = repository().join("tests/targets/solver/solver.c");
    let define = format!("-DANSWER={answer}");
    let compile = ["cc", "-O0", "-fPIC", "-shared", &define, source.to_str().unwrap()];
    metacov(&[&compile[..], &["-o", "libsolver.so"]].concat()).ok();
    let suite = ["measure", "z3", "--library", "./libsolver.so", "-v", "-j", "1"];
    let size = ["--relation", "sae", "--count", "4", "--databases", "2"];
    metacov(&[&suite[..], &size, options].concat())
}

/// Whether a process runs this file.
fn is_running(file: &Path) -> bool {
    let is_it = |entry: std::io::Result<fs::DirEntry>| {
        let words = fs::read(entry.unwrap().path().join("cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|word| word == file.as_os_str().as_encoded_bytes())
    };
    fs::read_dir("/proc").unwrap().any(is_it)
}

/// Every pair has this code of a failed side (docs/solvers.md), and no verdict.
#[track_caller]
fn check_invalid(script: &str, options: &[&str], code: u32) {
    let run = check(script, options);
    let row = run.row(&["sae", "4"]);
    assert_eq!((&*row[2], &*row[4]), ("0", "4"), "held and invalid: {row:?}");
    let why = format!("both sides failed (codes {code} and {code})");
    assert!(run.stderr.contains(&why), "{why}: {}", run.stderr);
}

#[test]
fn fault_50_a_solver_that_prints_anything_else_has_no_verdict() {
    check_invalid("echo '(error \"line 1: unknown constant\")'; echo sat", &[], 1);
    check_invalid("echo sat; echo no model >&2; exit 1", &[], 1);
    check_invalid("echo Welcome; echo sat", &[], 2);
    check_invalid("printf 'sat\\377\\n'", &[], 2);
    check_invalid("exec head -c 100000000 /dev/zero", &[], 2);
    check_invalid("echo sat; echo unsat", &[], 3);
    check_invalid("exit 0", &[], 3);
    let unknown = check("echo unknown", &[]).row(&["sae", "4"]);
    assert_eq!((&*unknown[2], &*unknown[4]), ("0", "4"), "{unknown:?}");
}

#[test]
fn fault_51_a_solver_that_hangs_is_ended_with_its_processes() {
    check_invalid("trap '' TERM; sleep 1000 & echo sat; wait", &["--timeout", "0.05"], 4);
    check_invalid("trap '' TERM; echo sat; while :; do :; done", &["--timeout", "0.3"], 4);
}

/// On a busy machine, a solver waits for a processor most of the time.
#[test]
fn fault_51_the_time_limit_of_a_solver_is_processor_time() {
    let row = check("sleep 0.6; echo sat", &["--timeout", "0.3"]).row(&["sae", "4"]);
    assert_eq!(row[2], "4", "held: {row:?}");
}

#[test]
fn fault_52_a_solver_that_uses_up_its_memory_is_ended() {
    check_invalid("head -c 2G /dev/zero | tail", &["--memory", "500M"], 5);
}

#[test]
fn fault_53_a_solver_that_dies_has_crashed() {
    for script in [
        "echo sat; kill -SEGV $$",
        "echo 'ASSERTION VIOLATION' >&2; exit 114",
        "echo sat; echo 'Fatal failure within f() at f.cpp:1' >&2; kill -ABRT $$",
    ] {
        let row = check(script, &[]).row(&["sae", "4"]);
        assert_eq!((&*row[2], &*row[5]), ("0", "4"), "held and crashed: {row:?}");
    }
}

#[test]
fn fault_50_to_53_are_the_same_with_counters() {
    for (answer, options, why) in [
        ("puts(\"Welcome\")", &[][..], "both sides failed (codes 2 and 2)"),
        ("puts(\"sat\");puts(\"unsat\")", &[], "both sides failed (codes 3 and 3)"),
        ("puts(\"sat\");return(1)", &[], "both sides failed (codes 1 and 1)"),
        ("hang()", &["--timeout", "0.3"], "both sides failed (codes 4 and 4)"),
        ("eat()", &["--memory", "500M"], "both sides failed (codes 5 and 5)"),
        ("puts(\"sat\");fflush(stdout);abort()", &[], "(signal 6)"),
    ] {
        let run = measure(answer, options);
        assert!(run.stderr.contains(why), "{answer}: {why}: {run:?}");
        assert!(!run.stdout.contains("violat"), "{answer}: {run:?}");
    }
    let row = measure("puts(\"unknown\")", &[]);
    assert!(!row.stdout.contains("violat"), "{row:?}");
}
