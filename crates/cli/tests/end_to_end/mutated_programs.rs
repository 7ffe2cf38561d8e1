//! Mutants of users' programs: which are killed, and what those cost that harm whatever they can reach.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::run::{self, Run};

fn metacov(folder: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    run::of(command.env("METACOV_CACHE", folder.join("cache")).current_dir(folder).args(args))
}

/// Builds a program with counters and with mutants, and measures pairs of numbers that are its standard input.
fn measured(folder: &Path, compiler: &str, source: &str, pairs: &[(&str, &str)]) {
    let name = if compiler == "cc" { "a.c" } else { "a.cpp" };
    std::fs::write(folder.join(name), source).unwrap();
    for (at, (a, b)) in pairs.iter().enumerate() {
        let pair = folder.join(format!("pairs/same/{at}"));
        std::fs::create_dir_all(&pair).unwrap();
        std::fs::write(pair.join("a.txt"), a).unwrap();
        std::fs::write(pair.join("b.txt"), b).unwrap();
    }
    metacov(folder, &[compiler, name, "-o", "plain"]).ok();
    metacov(folder, &[compiler, "--mutants", "-O1", name, "-o", "mutated"]).ok();
    let measure = ["measure", "--pairs", "pairs", "--judge", "equal", "-o", "run.metacov"];
    metacov(folder, &[&measure[..], &["--", "./plain"]].concat()).ok();
}

/// The verdicts of a pair by operator and column, or of all pairs with their names.
fn matrix(folder: &Path, run: &str, options: &[&str]) -> BTreeMap<String, String> {
    let words = [&["mutants", run, "--csv", "matrix.csv"], options, &["--", "./mutated"]].concat();
    metacov(folder, &words).ok();
    let text = std::fs::read_to_string(folder.join("matrix.csv")).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let words: Vec<&str> = line.split(',').collect();
        let key = format!("{} {} {}:{}", words[1], words[3], words[5], words[6]);
        (key, words[9].to_owned())
    });
    rows.collect()
}

/// The verdict of the only mutant of an operator in the first pair.
fn verdict<'m>(matrix: &'m BTreeMap<String, String>, operator: &str) -> &'m str {
    let start = format!("0 {operator} ");
    let mut found = matrix.iter().filter(|(key, _)| key.starts_with(&start));
    let (_, verdict) = found.next().expect("there is such a mutant");
    assert_eq!(found.next(), None, "{operator}");
    verdict
}

/// Sums numbers that are read one by one, so that a mutant is first reached in the middle of the input.
const SUM: &str = r#"#include <stdio.h>
int main(void) {
    int number, sum = 0, last = 0;
    setvbuf(stdin, NULL, _IONBF, 0);
    while (scanf("%d", &number) == 1) { sum = sum + number; last = number; }
    printf("sum\n");
    fflush(stdout);
    printf("%d\n", sum * 2);
    return last - last;
}
"#;

#[test]
fn mutants_of_a_c_program_are_killed_as_in_new_processes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    measured(folder, "cc", SUM, &[("1 2 4", "4 2 1"), ("5 5", "5 5")]);
    let found = matrix(folder, "run.metacov", &["--compare"]);
    // Both sums are negated, but the exit codes are twice the last number.
    assert_eq!(verdict(&found, "cxx_add_to_sub"), "survived", "{found:?}");
    assert_eq!(verdict(&found, "cxx_sub_to_add"), "killed", "{found:?}");
    assert_eq!(found.values().filter(|verdict| *verdict == "killed").count(), 1, "{found:?}");
    assert_eq!(found.len(), 2 * 4, "{found:?}");
    let said =
        metacov(folder, &["mutants", "run.metacov", "--again", "--compare", "--", "./mutated"]);
    let said = said.ok().stderr;
    assert!(said.contains("8 verdicts, 0 of them different in a new process"), "{said}");
}

#[test]
fn mutants_of_a_c_plus_plus_program_are_killed() {
    let source = r"#include <algorithm>
#include <iostream>
#include <vector>
int main() {
    std::vector<int> all;
    for (int one; std::cin >> one;) all.push_back(one);
    int most = all.empty() ? 0 : all[0];
    for (int one : all) if (one > most) most = one;
    std::cout << most << '\n';
}
";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    measured(folder, "c++", source, &[("1 2 3", "3 1 2")]);
    let found = matrix(folder, "run.metacov", &["--compare"]);
    // The smallest number instead of the largest.
    assert_eq!(verdict(&found, "cxx_gt_to_le"), "survived", "{found:?}");
    assert_eq!(verdict(&found, "cxx_gt_to_ge"), "survived", "{found:?}");
}

/// A program that does harm if its comparison is changed, and has another mutant after it.
fn hostile(harm: &str) -> String {
    format!(
        r#"#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {{
    int number;
    if (scanf("%d", &number) != 1) return 2;
    if (number > 1000) {{ {harm} }}
    printf("%d\n", number - number);
    return 0;
}}
"#
    )
}

#[test]
fn a_mutant_that_does_harm_costs_one_verdict() {
    for (what, harm, expected) in [
        ("starts processes without end", "for (;;) fork();", "crash"),
        ("runs without end", "for (;;) number++;", "timeout"),
        ("writes without end", "for (;;) puts(\"more and more and more\");", "crash"),
        (
            "takes all memory",
            "char *volatile all; do all = malloc(1 << 24); while (all); abort();",
            "crash",
        ),
        ("closes all files", "for (int file = 0; file < 1024; file++) close(file);", "survived"),
        ("ends its parent", "kill(getppid(), SIGKILL);", "crash"),
        ("ends its group", "kill(0, SIGKILL);", "crash"),
        ("leaves a process", "if (fork() == 0) for (;;) pause();", "survived"),
        ("leaves a session", "if (fork() == 0) { setsid(); for (;;) pause(); }", "survived"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        measured(folder, "cc", &hostile(harm), &[("1", "2")]);
        let found = matrix(folder, "run.metacov", &[]);
        assert_eq!(verdict(&found, "cxx_gt_to_le"), expected, "{what}: {found:?}");
        // All others are as if it were not there, before it and after it.
        assert_eq!(verdict(&found, "cxx_ne_to_eq"), "survived", "{what}: {found:?}");
        assert_eq!(verdict(&found, "cxx_gt_to_ge"), "survived", "{what}: {found:?}");
        assert_eq!(verdict(&found, "cxx_sub_to_add"), "killed", "{what}: {found:?}");
    }
}

#[test]
fn pairs_of_a_program_that_are_killed_continue_to_the_same_matrix() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let pairs: Vec<(String, String)> =
        (0..12).map(|at| (format!("{at} 2 3"), format!("3 2 {at}"))).collect();
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(a, b)| (&**a, &**b)).collect();
    measured(folder, "cc", SUM, &pairs);
    std::fs::copy(folder.join("run.metacov"), folder.join("whole.metacov")).unwrap();
    let whole = matrix(folder, "whole.metacov", &[]);
    for milliseconds in [60, 120, 180] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        command.env("METACOV_CACHE", folder.join("cache")).current_dir(folder);
        command.args(["-q", "mutants", "run.metacov", "-j", "1", "--", "./mutated"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(matrix(folder, "run.metacov", &[]), whole);
}

#[test]
fn a_program_without_mutants_and_pairs_without_judge_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    measured(folder, "cc", SUM, &[("1 2", "2 1")]);
    let said = metacov(folder, &["mutants", "run.metacov", "--", "./plain"]).failed(1);
    assert!(said.contains("no mutants: build it with `metacov cc --mutants`"), "{said}");
    metacov(folder, &["measure", "--pairs", "pairs", "-o", "other.metacov", "--", "./plain"]).ok();
    let said = metacov(folder, &["mutants", "other.metacov", "--", "./mutated"]).failed(2);
    assert!(said.contains("no pair was judged and holds: measure with --judge"), "{said}");
    let said = metacov(folder, &["mutants", "run.metacov"]).failed(2);
    assert!(said.contains("give the program, built with metacov cc --mutants"), "{said}");
}
