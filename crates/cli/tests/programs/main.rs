//! Real programs, built with their own build systems: metacov's measurement of each side of a pair,
//! and of their difference, equals gcov's report, line by line, branch by branch and function by
//! function.
//!
//! `METACOV_PROGRAMS` selects the programs: `all`, or names separated by commas. The default is
//! those that are marked `quick` in the table (`programs.rs`).

mod build;
mod compare;
mod elements;
mod gcov;
mod measured;
mod pairs;
mod programs;

use std::path::{Path, PathBuf};

use build::{Compiler, Level, Tree};
use programs::{PROGRAMS, Program};

/// How often gcov may be run again, to see whether it reports the same as metacov.
const REPETITIONS_MAX: usize = 30;

#[test]
fn programs_agree_with_gcov() {
    let mut mismatches = Vec::new();
    for program in selected() {
        let checks = [Level::Unoptimized, Level::Own].map(|level| check(program, level));
        // Some configure scripts silently drop their own level, for example if they cannot parse
        // the compiler's version.
        let [unoptimized, own] = checks.each_ref().map(|check| check.known);
        assert_ne!(unoptimized, own, "{}: its own level is -O0", program.name);
        mismatches.extend(checks.into_iter().flat_map(|check| check.mismatches));
    }
    assert!(mismatches.is_empty(), "\n{}", mismatches.join("\n"));
}

/// The programs that `METACOV_PROGRAMS` selects.
fn selected() -> Vec<&'static Program> {
    let names = std::env::var("METACOV_PROGRAMS").unwrap_or_default();
    let is_selected = |program: &&Program| match names.as_str() {
        "" => program.quick,
        "all" => true,
        names => names.split(',').any(|name| name == program.name),
    };
    let selected: Vec<_> = PROGRAMS.iter().filter(is_selected).collect();
    let known: Vec<_> = PROGRAMS.iter().map(|program| program.name).collect();
    let wanted = names.split(',').filter(|name| !["", "all"].contains(name)).count();
    let found = if names == "all" || names.is_empty() { selected.len() } else { wanted };
    assert!(
        !selected.is_empty() && selected.len() == found,
        "METACOV_PROGRAMS={names}: not among {}",
        known.join(", ")
    );
    selected
}

/// The result of a program at one level.
struct Check {
    mismatches: Vec<String>,
    /// How many elements gcov reports.
    known: usize,
}

/// Builds a program twice in the same folder, with metacov and for gcov, and compares their reports
/// for the same inputs.
///
/// The folder is the same for both builds because paths are in the notes, and a program may behave
/// differently elsewhere. So all of metacov's measurements come before the second build.
#[expect(clippy::print_stderr, reason = "what is left out is named")]
fn check(program: &'static Program, level: Level) -> Check {
    let mut tree = Tree::new(program, level);
    tree.build(Compiler::Metacov);
    let runs = ["exec", "fork"].map(|mode| (mode, measured::measure(&tree, mode)));
    tree.build(Compiler::Gcov);
    let mut expected = gcov::report(&tree);

    let what = format!("{} {level}", program.name);
    let mut unstable = compare::unstable(&what, &expected);
    let compare = |expected: &gcov::Report, unstable: &compare::Set| {
        let mut mismatches = Vec::new();
        for (mode, run) in &runs {
            let what = format!("{what}, {mode} mode");
            match run {
                Ok(run) => mismatches.extend(compare::mismatches(&what, run, expected, unstable)),
                Err(message) => mismatches.push(format!("{what}: {message}")),
            }
        }
        mismatches
    };
    let mut mismatches = compare(&expected, &unstable);
    // Metacov may be the first to see the code of a rare schedule of threads.
    for _ in 0..if program.threads { REPETITIONS_MAX } else { 0 } {
        if mismatches.is_empty() {
            break;
        }
        gcov::repeat(&tree, &mut expected);
        unstable = compare::unstable(&what, &expected);
        mismatches = compare(&expected, &unstable);
    }
    for element in &unstable {
        eprintln!("{what}: unstable in gcov: {element}");
    }
    let executed = expected.values().flatten().map(|side| side.side.executed.len());
    eprintln!("{what}: sides with {:?} executed elements", executed.collect::<Vec<_>>());
    let known: compare::Set =
        expected.values().flatten().flat_map(|side| side.side.known.iter().cloned()).collect();
    Check { mismatches, known: known.len() }
}

/// The root of the repository.
fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
