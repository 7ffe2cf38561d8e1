//! `metacov diff --pairs`: suites.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::run::{data, metacov, metacov_in};

/// A tiny lcov report of ten lines, in which these ran.
pub fn report(folder: &Path, name: &str, ran: &[u32]) {
    let mut info = String::from("SF:x.c\n");
    for line in 1..=10 {
        let _ = writeln!(info, "DA:{line},{}", u32::from(ran.contains(&line)));
    }
    fs::write(folder.join(name), info + "end_of_record\n").unwrap();
}

fn suite() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let reports = folder.path().join("reports");
    fs::create_dir(&reports).unwrap();
    report(&reports, "1a", &[1, 2, 3]);
    report(&reports, "1b", &[1, 2, 4]);
    report(&reports, "2a", &[1, 2, 4]);
    report(&reports, "2b", &[1, 2, 3]);
    report(&reports, "3a", &[1, 5]);
    report(&reports, "3b", &[1, 5]);
    report(&reports, "x", &[1]);
    report(&reports, "y", &[1, 6]);
    report(&reports, "z", &[1, 7]);
    let manifest = r#"{"relation": "swap", "pair": "1", "a": ["1a"], "b": ["1b"]}
{"relation": "swap", "pair": 2, "a": "2a", "b": ["2b"]}

{"relation": "shift", "pair": "3", "a": ["3a"], "b": ["3b"]}
{"relation": "three", "pair": "4", "inputs": ["x", ["y"], ["z", "x"]]}
"#;
    fs::write(reports.join("pairs.jsonl"), manifest).unwrap();
    folder
}

#[test]
fn a_suite_is_folded_pair_by_pair() {
    let folder = suite();
    let run = metacov_in(folder.path(), &["diff", "--pairs", "reports/pairs.jsonl"]).ok();
    insta::assert_snapshot!(run.stdout, @"
    relation   pairs   criterion   sites   a only   b only   either   both   not executed   MC sites        MC    MC/Cov
    shift          1   line           10        0        0        0      2              8          0    0.00 %    0.00 %
    swap           2   line           10        0        0        2      2              6          2   20.00 %   50.00 %
    three          3   line           10        0        1        1      1              7          2   20.00 %   66.67 %
    all            6   line           10        0        1        3      3              3          4   40.00 %   57.14 %
    ");
    insta::assert_snapshot!(run.stderr, @"
    note: left out: branch, function (the files do not say which of them ran)
    note: 1 of 4 groups have no difference
    ");
}

#[test]
fn the_result_is_the_same_whatever_the_number_of_jobs() {
    let folder = suite();
    let run = |jobs: &str| {
        let args = ["diff", "--pairs", "reports/pairs.jsonl", "-j", jobs, "-o", "-", "--format"];
        let all = ["json", "gcovr", "lcov", "cobertura", "markdown"];
        all.map(|format| metacov_in(folder.path(), &[&args[..], &[format]].concat()).ok().stdout)
    };
    assert_eq!(run("1"), run("3"));
}

#[test]
fn a_mistake_in_the_manifest_is_reported_before_anything_is_read() {
    let folder = suite();
    let manifest = folder.path().join("reports/bad.jsonl");
    for (line, message) in [
        (
            r#"{"relation": "r", "pair": "1", "a": ["1a"]}"#,
            "a pair needs either `a` and `b`, or `inputs`",
        ),
        (r#"{"relation": "r", "pair": "1", "a": [], "b": ["1b"]}"#, "a side has no files"),
        (r#"{"relation": "r", "pair": "1", "inputs": ["1a"]}"#, "a group needs at least two sides"),
        (
            r#"{"relation": "r", "pair": "1", "c": ["1a"]}"#,
            "unknown field `c`, expected one of `relation`, `pair`, `a`, `b`, `inputs`, `judge`",
        ),
        ("nonsense", "expected ident"),
    ] {
        fs::write(&manifest, format!("{{\"relation\":\"r\",\"pair\":\"0\",\"a\":\"nowhere\",\"b\":\"nowhere\"}}\n{line}\n")).unwrap();
        let said = metacov_in(folder.path(), &["diff", "--pairs", "reports/bad.jsonl"]).failed(3);
        assert_eq!(said, format!("error: reports/bad.jsonl: line 2: {message}\n"));
    }
}

#[test]
fn the_first_bad_pair_is_named_whatever_the_number_of_jobs() {
    let folder = suite();
    let mut manifest = String::new();
    for pair in 0..40 {
        let a = if pair % 10 == 7 { "missing" } else { "1a" };
        let _ = writeln!(manifest, r#"{{"relation":"r","pair":{pair},"a":"{a}{pair}","b":"1b"}}"#);
        if pair % 10 != 7 {
            report(&folder.path().join("reports"), &format!("{a}{pair}"), &[1, 2]);
        }
    }
    fs::write(folder.path().join("reports/some.jsonl"), manifest).unwrap();
    for jobs in ["1", "2", "8"] {
        let said =
            metacov_in(folder.path(), &["diff", "--pairs", "reports/some.jsonl", "-j", jobs]);
        let said = said.failed(3);
        let place = "reports/some.jsonl: line 8: reports/missing7";
        assert_eq!(said, format!("error: {place}: no such file or directory\n"));
    }
}

#[test]
fn operations_on_two_sides_refuse_three() {
    let folder = suite();
    let said =
        metacov_in(folder.path(), &["diff", "--pairs", "reports/pairs.jsonl", "--op", "sub"]);
    assert_eq!(said.failed(3), "error: pair 4 of three: `sub` takes two sides, this pair has 3\n");
}

/// One coverage.py data file contains both sides of many pairs.
#[test]
fn contexts_of_a_data_file_are_a_suite() {
    let folder = data("coverage_py/7.17.2");
    let suite = ["diff", "--pairs", "contexts.coverage", "--universe", "universe.json"];
    let args = [&suite[..], &["--root", "/tmp/fixtures/parcel"]].concat();
    let run = metacov_in(&folder, &args).ok();
    insta::assert_snapshot!(run.stdout, @"
    relation   pairs   criterion   sites   a only   b only   both   not executed   MC sites        MC    MC/Cov
    heavier        3   line           30        5        3     10             12          8   26.67 %   44.44 %
    heavier        3   branch         12        3        1      5              3          4   33.33 %   44.44 %
    swap           3   line           30        2        4     13             11          6   20.00 %   31.58 %
    swap           3   branch         12        1        1      7              3          2   16.67 %   22.22 %
    all            6   line           30        7        5      8             10         12   40.00 %   60.00 %
    all            6   branch         12        4        2      4              2          6   50.00 %   60.00 %
    ");
    // Both sides know all that the universe lists, whether they ran it or not.
    assert!(!run.stderr.contains("known to one side only"), "{}", run.stderr);
    let said = metacov_in(&folder, &suite).failed(3);
    assert!(said.contains("that --universe lists (are the paths the same?"), "{said}");
    let run = metacov_in(&folder, &["diff", "--pairs", "contexts.coverage"]).ok();
    assert!(run.stderr.contains("no percentage of all code can be given"), "{}", run.stderr);
    assert_eq!(run.row(&["all"])[3], "?");
}

#[test]
fn a_context_is_a_side() {
    let side =
        |side: &str| format!("coverage_py/7.17.2/contexts.coverage::mr=heavier|pair=1|side={side}");
    let run = metacov(&[
        "diff",
        &side("a"),
        &side("b"),
        "--universe",
        "coverage_py/7.17.2/universe.json",
        "--root",
        "/tmp/fixtures/parcel",
    ])
    .ok();
    insta::assert_snapshot!(run.stdout, @"
    criterion   sites   a only   b only   both   not executed   MC sites        MC    MC/Cov
    line           30        5        1      7             17          6   20.00 %   46.15 %
    branch         12        3        1      3              5          4   33.33 %   57.14 %
    ");
    let said = metacov(&["diff", &side("a"), &side("c")]).failed(3);
    assert!(said.contains("lists no code for the context"), "{said}");
    let said = metacov(&["diff", "gcovr_json/8.7/a.json::x", "gcovr_json/8.7/b.json"]).failed(3);
    assert!(said.contains("gcovr JSON has no tests or contexts to choose from"), "{said}");
}
