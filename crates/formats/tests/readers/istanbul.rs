//! Istanbul's coverage maps, compared with the tracefiles that nyc and c8 write for the same run.

use std::collections::BTreeSet;

use metacov_formats::{CoverageFile, CoverageLoader, Scope};

use crate::sets::{Sets, assert_same, data, describe, read};

fn fixture(file: &str) -> Sets {
    let scope = Scope { root: "/tmp/fixtures/jsparcel".into(), ..Scope::default() };
    read(&scope, &[data(&format!("istanbul/{file}"))]).unwrap()
}

#[test]
fn lines_and_functions_are_those_of_the_tracefile() {
    for producer in ["nyc-15.1.0", "nyc-18.0.0", "c8-12.0.0"] {
        for side in ["a", "b"] {
            let json = fixture(&format!("{producer}/{side}.json"));
            let lcov = fixture(&format!("{producer}/{side}.info"));
            for criterion in ["line", "function"] {
                assert_same(&json.only(criterion), &lcov.only(criterion), producer);
            }
        }
    }
}

#[test]
fn branches_and_statements_are_those_of_the_tracefile_and_the_summary() {
    for producer in ["nyc-15.1.0", "nyc-18.0.0"] {
        for side in ["a", "b"] {
            let json = fixture(&format!("{producer}/{side}.json"));
            let lcov = fixture(&format!("{producer}/{side}.info"));
            assert_same(&json.only("branch"), &lcov.only("branch"), producer);
            let summary = data(&format!("istanbul/{producer}/{side}.summary.txt"));
            let summary = std::fs::read_to_string(summary).unwrap();
            let statements = summary.lines().find(|line| line.starts_with("Statements")).unwrap();
            let regions = json.only("region");
            let counts = format!("( {}/{} )", regions.executed.len(), regions.known.len());
            assert!(statements.ends_with(&counts), "{statements} but {counts}");
        }
    }
}

#[test]
fn ranges_of_v8_are_not_branches() {
    // The two runs of one program have 12 and 10 of them, and number 3 differs.
    for side in ["a", "b"] {
        assert!(fixture(&format!("c8-12.0.0/{side}.json")).only("branch").known.is_empty());
    }
}

fn read_texts(texts: &[&str]) -> Result<Sets, String> {
    let scope = Scope::default();
    let mut loader = CoverageLoader::new(&scope);
    let mut sets = None;
    for text in texts {
        let input = CoverageFile::from_bytes((*text).into()).unwrap();
        let reading = loader.read(input, None).map_err(|fault| fault.to_string())?;
        sets = Some(describe(loader.table(), &reading));
    }
    Ok(sets.unwrap())
}

#[test]
fn keys_come_in_any_order_and_positions_may_be_missing() {
    let text = r#"{ "a.js": {
        "b": {"4": [1, 0]}, "f": {"0": 0}, "s": {"0": 2, "1": 0, "7": 1},
        "branchMap": {"4": {"line": 3, "locations": [{"start": {"line": 3, "column": 1}, "end": {}},
            {"start": {}, "end": {}}], "type": "if", "loc": {"start": {"line": null}, "end": null}}},
        "fnMap": {"0": {"loc": {"start": {"line": 5, "column": -1}}, "name": "f"}},
        "statementMap": {"0": {"end": {"line": 3, "column": null}, "start": {"line": 2, "column": 1}},
            "1": {"start": {"line": 2, "column": 9}, "end": {"line": 2, "column": 12}}},
        "hash": "of something", "inputSourceMap": null } }"#;
    let sets = read_texts(&[text]).unwrap();
    let executed = ["branch a.js:3 #0", "line a.js:2", "region a.js:2:1-3:4294967295"];
    let others = ["branch a.js:3 #1", "function a.js:5 f", "region a.js:2:9-2:12"];
    let executed: BTreeSet<String> = executed.map(str::to_owned).into();
    let known = executed.iter().cloned().chain(others.map(str::to_owned)).collect();
    assert_same(&sets, &Sets { known, executed }, "any order");
}

/// A map of one file with one statement, possibly broken.
fn map(statements: &str, counts: &str, rest: &str) -> String {
    format!(r#"{{"a.js":{{"statementMap":{{{statements}}},"s":{{{counts}}}{rest}}}}}"#)
}

const STATEMENT: &str = r#""0":{"start":{"line":1,"column":0},"end":{"line":1,"column":9}}"#;

#[test]
fn another_build_is_refused() {
    let one = map(STATEMENT, r#""0":1"#, "");
    assert!(read_texts(&[&one, &one]).is_ok());
    let two = format!(r#"{STATEMENT},"1":{{"start":{{"line":2,"column":0}},"end":{{}}}}"#);
    let two = map(&two, r#""0":1,"1":1"#, "");
    let message = read_texts(&[&one, &two]).unwrap_err();
    assert!(message.starts_with("made from another build") && message.contains("a.js:1"));
}

#[test]
fn the_same_code_in_another_folder_is_the_same_build() {
    let here = r#","path":"/here/a.js","hash":"1""#;
    let there = r#","path":"/there/a.js","hash":"2""#;
    let scope = Scope { prefix_map: vec![("/there".into(), "/here".into())], ..Scope::default() };
    let mut loader = CoverageLoader::new(&scope);
    for rest in [here, there] {
        let text = map(STATEMENT, r#""0":1"#, rest);
        loader.read(CoverageFile::from_bytes(text.into()).unwrap(), None).unwrap();
    }
    assert_eq!(loader.table().file_count(), 1);
}

#[test]
fn broken_maps_are_refused_with_their_position() {
    let nowhere = r#","fnMap":{"0":{"name":"f","loc":{}}}"#;
    let uncounted = r#","branchMap":{"3":{"line":9}}"#;
    for (statements, rest, read, message) in [
        (STATEMENT, "", "\"s\":{}}", "statement 0 without a count in `s`"),
        (r#""0":{"start":{}}"#, "", r#""0":{"start":{}}"#, "a statement without a line"),
        (r#""x":{}"#, "", r#""x""#, "expected a number as key"),
        ("", nowhere, r#""loc":{}}"#, "a function without a line"),
        ("", uncounted, r#"{"line":9}}}"#, "decision 3 without counts in `b`"),
    ] {
        let text = map(statements, "", rest);
        let at = text.find(read).unwrap() + read.len();
        assert_eq!(read_texts(&[&text]).unwrap_err(), format!("byte {at}: {message}"));
    }
    let negative = "a negative number (were counters updated by several threads?)";
    let text = map(STATEMENT, "\"0\":-1", "");
    let message = format!("byte {}: {negative}", text.find('-').unwrap());
    assert_eq!(read_texts(&[&text]).unwrap_err(), message);
}
