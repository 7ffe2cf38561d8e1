//! coverage.py's JSON and data files, compared with each other and with its own report.

mod broken;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use metacov_formats::{CoverageFile, CoverageLoader, FileSpec, Scope};
use serde_json::Value;

use crate::sets::{Sets, assert_same, data, describe, read};

fn scope() -> Scope {
    Scope { root: "/tmp/fixtures/parcel".into(), ..Scope::default() }
}

fn fixture(file: &str) -> PathBuf {
    data(&format!("coverage_py/{file}"))
}

/// Reads one context of a file, or all, with a loader that knows all code.
fn read_with_universe(file: &str, context: Option<&str>, universe: &str) -> Sets {
    let scope = scope();
    let mut loader = CoverageLoader::new(&scope);
    let spec = |file, context: Option<&str>| FileSpec {
        path: fixture(file),
        context: context.map(str::to_owned),
    };
    loader.read_universe(&[spec(universe, None)]).unwrap();
    let reading = loader.read_side(&[spec(file, context)]).unwrap();
    describe(loader.table(), &reading)
}

/// The row of the program in coverage.py's report: statements, missed, branches, partial branches.
fn reported(version: &str, side: &str) -> Vec<usize> {
    let report = std::fs::read_to_string(fixture(&format!("{version}/{side}.report.txt"))).unwrap();
    let row = report.lines().find(|line| line.starts_with("parcel.py")).unwrap();
    row.split_whitespace().skip(1).take(3).map(|number| number.parse().unwrap()).collect()
}

#[test]
fn json_has_the_numbers_of_the_report() {
    for (version, docstrings, has_branches) in
        [("5.5", 1, false), ("6.5.0", 1, true), ("7.6.12", 1, true), ("7.17.2", 0, true)]
    {
        for side in ["a", "b"] {
            let sets = read(&scope(), &[fixture(&format!("{version}/{side}.json"))]).unwrap();
            let (lines, branches) = (sets.only("line"), sets.only("branch"));
            let [statements, missed, all_branches] = reported(version, side)[..] else { panic!() };
            assert_eq!(lines.known.len(), statements + docstrings, "{version} {side}");
            assert_eq!(lines.known.len() - lines.executed.len(), missed, "{version} {side}");
            let all_branches = if has_branches { all_branches } else { 0 };
            assert_eq!(branches.known.len(), all_branches, "{version} {side}");
        }
    }
}

#[test]
fn functions_are_named_and_placed() {
    let functions = read(&scope(), &[fixture("7.17.2/a.json")]).unwrap().only("function");
    let known = [
        "function parcel.py:15 express",
        "function parcel.py:19 never_called",
        "function parcel.py:24 Order.__init__",
        "function parcel.py:27 Order.total",
        "function parcel.py:5 weight_price",
    ];
    let known: BTreeSet<String> = known.map(str::to_owned).into();
    let mut executed = known.clone();
    executed.remove("function parcel.py:19 never_called");
    assert_same(&functions, &Sets { known, executed }, "7.17.2");
    // Earlier versions do not report where a function starts; its first line of code is used.
    let older = read(&scope(), &[fixture("7.6.12/a.json")]).unwrap().only("function");
    assert!(older.executed.contains("function parcel.py:6 weight_price"));
    assert!(older.known.contains("function parcel.py:20 never_called"));
    assert_eq!((older.known.len(), older.executed.len()), (5, 4));
}

#[test]
fn data_files_have_the_executed_lines_and_branches_of_the_json() {
    for (version, sides) in
        [("5.5", &["a", "b"][..]), ("6.5.0", &["a"]), ("7.6.12", &["a"]), ("7.17.2", &["a", "b"])]
    {
        for side in sides {
            let (file, report) =
                (format!("{version}/{side}.coverage"), format!("{version}/{side}.json"));
            let json = read(&scope(), &[fixture(&report)]).unwrap();
            let data = read_with_universe(&file, None, &report);
            let without_docstring = |sets: &Sets| {
                let mut lines = sets.only("line").executed;
                lines.remove("line parcel.py:1");
                lines
            };
            assert_eq!(without_docstring(&data), without_docstring(&json), "{file}");
            assert_eq!(data.only("branch").executed, json.only("branch").executed, "{file}");
        }
    }
}

#[test]
fn without_a_universe_a_data_file_has_only_lines_and_says_so() {
    let scope = scope();
    let mut loader = CoverageLoader::new(&scope);
    let file = FileSpec { path: fixture("7.17.2/a.coverage"), context: None };
    let reading = loader.read_side(&[file]).unwrap();
    let sets = describe(loader.table(), &reading);
    assert_eq!(sets.known, sets.executed);
    assert_eq!(sets.known, sets.only("line").known);
    assert_eq!(loader.table().partial().to_string(), "line, branch");
}

#[test]
fn compressed_data_files_are_read_from_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&std::fs::read(fixture("7.17.2/contexts.coverage")).unwrap()).unwrap();
    std::fs::write(&path, gzip.finish().unwrap()).unwrap();
    let plain = read(&scope(), &[fixture("7.17.2/contexts.coverage")]).unwrap();
    assert_same(&read(&scope(), &[path]).unwrap(), &plain, "gzip");
}

#[test]
fn data_files_may_be_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("50% of?it#all&more=1");
    std::fs::copy(fixture("7.17.2/a.coverage"), &path).unwrap();
    let plain = read(&scope(), &[fixture("7.17.2/a.coverage")]).unwrap();
    assert_same(&read(&scope(), &[path]).unwrap(), &plain, "odd name");
}

/// The executed lines of each context, from a report that shows contexts.
fn lines_of(report: &str, context: &str) -> BTreeSet<String> {
    let json: Value = serde_json::from_slice(&std::fs::read(fixture(report)).unwrap()).unwrap();
    let file = &json["files"]["parcel.py"];
    let executed = file["executed_lines"].as_array().unwrap();
    let lines = file["contexts"].as_object().unwrap().iter().filter(|(line, contexts)| {
        let is_code = executed.contains(&Value::from(line.parse::<u32>().unwrap()));
        is_code && contexts.as_array().unwrap().iter().any(|name| name == context)
    });
    lines.map(|(line, _)| format!("line parcel.py:{line}")).collect()
}

#[test]
fn each_context_has_the_lines_that_the_producer_shows() {
    let sides = ["swap", "heavier"].iter().flat_map(|relation| {
        (1..=3).flat_map(move |pair| {
            ["a", "b"].map(|side| format!("mr={relation}|pair={pair}|side={side}"))
        })
    });
    let mut all = BTreeSet::new();
    for context in sides.chain([String::new()]) {
        for name in ["contexts", "contexts-lines"] {
            let report = format!("7.17.2/{name}.json");
            let expected = lines_of(&report, &context);
            assert!(!expected.is_empty());
            let json = read_with_universe(&report, Some(&context), "7.17.2/universe.json");
            assert_eq!(json.only("line").executed, expected, "{context}");
            assert!(json.only("branch").known.is_empty());
            let file = format!("7.17.2/{name}.coverage");
            let mut data = read_with_universe(&file, Some(&context), "7.17.2/universe.json");
            data.executed.remove("line parcel.py:1"); // The docstring, which is not code.
            assert_eq!(data.only("line").executed, expected, "{context}");
            all.append(&mut data.only("branch").executed);
        }
    }
    let universe = read(&scope(), &[fixture("7.17.2/universe.json")]).unwrap();
    assert_eq!(all, universe.only("branch").executed);
}

#[test]
fn functions_of_a_context_are_those_with_a_line_that_ran() {
    let file = "7.17.2/contexts.json";
    let sets = read_with_universe(file, Some("mr=swap|pair=2|side=a"), "7.17.2/universe.json");
    let executed = ["function parcel.py:24 Order.__init__", "function parcel.py:27 Order.total"];
    assert_eq!(sets.only("function").executed, executed.map(str::to_owned).into());
}

fn read_text(text: &str, context: Option<&str>) -> Result<Sets, String> {
    let scope = Scope::default();
    let mut loader = CoverageLoader::new(&scope);
    let input = CoverageFile::from_bytes(text.into()).unwrap();
    let reading = loader.read(input, context).map_err(|fault| fault.to_string())?;
    Ok(describe(loader.table(), &reading))
}

#[test]
fn an_unknown_context_is_a_missing_side() {
    let read = |file: &str| {
        let spec = FileSpec { path: fixture(file), context: Some("typo".to_owned()) };
        CoverageLoader::new(&scope()).read_side(&[spec]).unwrap_err().fault.to_string()
    };
    let message = "the file lists no code for the context `typo`, so the side was not measured";
    assert_eq!(read("7.17.2/contexts.coverage"), message);
    assert_eq!(read("7.17.2/contexts.json"), message);
    let message = "the report holds no contexts (write it with `coverage json --show-contexts`)";
    assert_eq!(read("7.17.2/a.json"), message);
}

#[test]
fn excluded_code_is_excluded_everywhere() {
    let text = r#"{"files": {"a.py": {"missing_lines": [5], "functions": {
        "f": {"excluded_lines": [8, 9], "missing_lines": [], "executed_lines": []},
        "": {"missing_lines": [5], "excluded_lines": [7], "executed_lines": [1]}},
        "excluded_lines": [7, 8, 9], "executed_lines": [1]}}, "meta": {"format": 3}}"#;
    let sets = read_text(text, None).unwrap();
    assert_eq!(sets.known, ["line a.py:1", "line a.py:5"].map(str::to_owned).into());
    assert_eq!(sets.executed, ["line a.py:1"].map(str::to_owned).into());
}

#[test]
fn broken_reports_are_refused_with_their_position() {
    let meta = r#""meta":{"branch_coverage":true,"show_contexts":true}"#;
    let report = |file: &str| format!(r#"{{{meta},"files":{{"a.py":{file}}}}}"#);
    for (file, read, message) in [
        (r#"{"executed_lines":7}"#, "lines\":", "expected an array"),
        (r#"{"executed_branches":[[1]]}"#, "[[1]", "expected two line numbers for a branch"),
        (r#"{"executed_branches":[[-1,2]]}"#, "[[-1,2", "a branch from an invalid line"),
        (r#"{"executed_branches":[[1,2,3]]}"#, "[[1,2,", "expected two line numbers for a branch"),
        (r#"{"contexts":{"x":[]}}"#, "\"x\"", "a line of a context is not a number"),
    ] {
        let text = report(file);
        let at = text.find(read).unwrap() + read.len();
        assert_eq!(read_text(&text, Some("c")).unwrap_err(), format!("byte {at}: {message}"));
    }
    let message = "coverage.py JSON version 4 is not known (metacov reads 1 to 3)";
    let text = report("{}").replace("\"branch", "\"format\":4,\"branch");
    assert_eq!(read_text(&text, None).unwrap_err(), message);
}

/// Python traces a statement on all lines that it spans; reports count the first.
#[test]
fn data_files_count_statements_like_a_given_report() {
    let scope = Scope { root: "/tmp/fixtures/spread".into(), ..Scope::default() };
    for side in ["a", "b", "a-lines", "b-lines"] {
        let file = |ending| FileSpec {
            path: fixture(&format!("7.17.2-spread/{side}.{ending}")),
            context: None,
        };
        let report = read(&scope, &[file("json").path]).unwrap();
        let mut loader = CoverageLoader::new(&scope);
        loader.read_universe(&[file("json")]).unwrap();
        let reading = loader.read_side(&[file("coverage")]).unwrap();
        let data = describe(loader.table(), &reading);
        for criterion in ["line", "branch"] {
            assert_eq!(data.only(criterion).executed, report.only(criterion).executed, "{side}");
        }
        // Without the report, more lines ran than there are statements.
        let traced = read(&scope, &[file("coverage").path]).unwrap();
        assert!(traced.executed.len() > report.only("line").executed.len(), "{side}");
    }
}
