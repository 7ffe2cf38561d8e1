//! A run file is never mixed: not with another build, with other inputs or with another program.

use std::fs;
use std::path::Path;

use crate::gcc::compile;
use crate::measure::folder;
use crate::run::{Run, metacov_in};
use crate::suites::report;

fn two_pairs() -> tempfile::TempDir {
    folder(&[
        ("parity/1", &[("a.txt", "4"), ("b.txt", "7")]),
        ("parity/3", &[("a.txt", "fail"), ("b.txt", "7")]),
    ])
}

fn measure(folder: &Path, run: &str, more: &[&str]) -> Run {
    let all = ["measure", "--pairs", "pairs", "--timeout", "60", "-o", run];
    metacov_in(folder, &[&all[..], more, &["--", "./program", "@@"]].concat())
}

/// Builds the program again after a change of its source.
fn rebuild(folder: &Path, from: &str, to: &str) {
    let source = folder.join("outcomes.c");
    let text = fs::read_to_string(&source).unwrap();
    assert!(text.contains(from));
    fs::write(&source, text.replacen(from, to, 1)).unwrap();
    compile(folder, "cc", &["outcomes.c"]);
}

#[test]
fn a_program_that_was_built_again_with_other_code_is_not_the_same() {
    let folder = two_pairs();
    let folder = folder.path();
    measure(folder, "run.metacov", &[]).ok();
    rebuild(folder, "", "");
    let same = measure(folder, "run.metacov", &["--resume"]).ok();
    assert!(same.stderr.contains("continuing: 2 of 2 pairs done"), "{}", same.stderr);
    // The same lines, branches and functions.
    rebuild(folder, "% 2", "% 3");
    let said = measure(folder, "run.metacov", &["--resume"]).failed(4);
    insta::assert_snapshot!(said, @"error: run.metacov: ./program was built again with other code since the run was begun: measure into a new run file, or build the same code again");
    measure(folder, "other.metacov", &[]).ok();
    let merge = ["merge", "-o", "all.metacov", "run.metacov", "other.metacov"];
    let said = metacov_in(folder, &merge).failed(4);
    insta::assert_snapshot!(said, @"error: other.metacov: made from another build than run.metacov: ./program is not the same code");
    assert!(!folder.join("all.metacov").exists());
    // Versions of a program can be compared.
    metacov_in(folder, &["compare", "run.metacov", "other.metacov"]).ok();
}

#[test]
fn an_input_that_was_edited_is_not_the_same() {
    let folder = two_pairs();
    let folder = folder.path();
    measure(folder, "run.metacov", &[]).ok();
    fs::write(folder.join("pairs/parity/3/b.txt"), "9").unwrap();
    let said = measure(folder, "run.metacov", &["--resume"]).failed(3);
    assert!(
        said.contains(
            "error: run.metacov: input b.txt of pair 3 of parity has changed since it was measured"
        ),
        "{said}"
    );
    measure(folder, "other.metacov", &[]).ok();
    let merge = ["merge", "-o", "all.metacov", "run.metacov", "other.metacov"];
    let said = metacov_in(folder, &merge).failed(3);
    assert!(
        said.contains("pair 3 of parity was measured on other inputs than in run.metacov"),
        "{said}"
    );
    fs::write(folder.join("pairs/parity/3/b.txt"), "7").unwrap();
    measure(folder, "run.metacov", &["--resume"]).ok();
}

/// Pairs that are added before others are measured too, and only they.
#[test]
fn a_suite_can_grow() {
    let folder = two_pairs();
    let folder = folder.path();
    measure(folder, "run.metacov", &[]).ok();
    let added = folder.join("pairs/parity/2");
    fs::create_dir(&added).unwrap();
    fs::write(added.join("a.txt"), "4").unwrap();
    fs::write(added.join("b.txt"), "6").unwrap();
    let grown = measure(folder, "run.metacov", &["--resume"]).ok();
    assert!(grown.stderr.starts_with("note: continuing: 2 of 3 pairs done\n"), "{}", grown.stderr);
    let whole = measure(folder, "whole.metacov", &[]).ok();
    assert_eq!(grown.stdout, whole.stdout);
    for format in ["json", "markdown", "csv", "lcov"] {
        let report = |run: &str| {
            metacov_in(folder, &["report", run, "-o", "-", "--format", format]).ok().stdout
        };
        assert_eq!(report("run.metacov"), report("whole.metacov"), "{format}");
    }
    fs::remove_dir_all(folder.join("pairs/parity/1")).unwrap();
    measure(folder, "run.metacov", &["--resume"]).failed(3);
    let report = metacov_in(folder, &["report", "run.metacov"]).ok();
    assert_eq!(report.stdout, whole.stdout, "a refusal changes nothing");
}

#[test]
fn a_manifest_of_coverage_files_can_grow_and_its_files_stay_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, lines) in [("a", &[1, 2][..]), ("b", &[1]), ("c", &[1, 3])] {
        report(folder, name, lines);
    }
    let first = "{\"relation\": \"r\", \"pair\": 1, \"a\": \"a\", \"b\": \"b\"}\n";
    let second = "{\"relation\": \"r\", \"pair\": 2, \"a\": \"a\", \"b\": \"c\"}\n";
    let manifest = |text: String| fs::write(folder.join("pairs.jsonl"), text).unwrap();
    let diff = |more: &[&str]| {
        metacov_in(
            folder,
            &[&["diff", "--pairs", "pairs.jsonl", "-o", "run.metacov"], more].concat(),
        )
    };
    manifest(first.to_owned());
    diff(&[]).ok();
    manifest(format!("{second}{first}"));
    let grown = diff(&["--resume"]).ok();
    assert!(grown.stderr.contains("continuing: 1 of 2 pairs done"), "{}", grown.stderr);
    let live = metacov_in(folder, &["diff", "--pairs", "pairs.jsonl"]).ok();
    assert_eq!(grown.stdout, live.stdout);
    report(folder, "b", &[1, 4]);
    let said = diff(&["--resume"]).failed(3);
    assert!(said.contains("input b of pair 1 of r has changed since it was measured"), "{said}");
}

#[test]
fn runs_of_unrelated_programs_are_neither_merged_nor_compared() {
    let folder = two_pairs();
    let folder = folder.path();
    measure(folder, "run.metacov", &[]).ok();
    report(folder, "a", &[1, 2]);
    report(folder, "b", &[1]);
    metacov_in(folder, &["diff", "a", "b", "-o", "other.metacov"]).ok();
    let said = metacov_in(folder, &["merge", "-o", "all.metacov", "run.metacov", "other.metacov"])
        .failed(4);
    insta::assert_snapshot!(said, @"error: other.metacov: measures another program than run.metacov: no source file is in both (x.c here, outcomes.c there)");
    let said = metacov_in(folder, &["compare", "run.metacov", "other.metacov"]).failed(4);
    insta::assert_snapshot!(said, @"error: other.metacov: measures another program than run.metacov: no source file is in both (x.c here, outcomes.c there)");
}
