//! Reads gcov JSON with metacov's pull reader and with `serde_json`.
//!
//! `cargo bench -p metacov-formats --bench json` generates a report of about 30 MB, reads it in
//! each way, and prints the throughput and its ratio to metacov's. Metacov's figure includes
//! numbering the sites and setting their bits; `serde_json` only counts what ran, in structs that
//! ignore all other keys. It checks no limits.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fmt::Write;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::{Duration, Instant};

use metacov_formats::{CoverageFile, CoverageLoader, Scope};
use serde::Deserialize;

/// How often each figure is measured; the fastest is shown.
const TIMES: usize = 7;

/// The buffer size of metacov's reader.
const BUFFER_BYTES: usize = 128 << 10;

const FILES: usize = 40;
const LINES_PER_FILE: usize = 4000;
/// Every n-th line has branches, and every n-th starts a function.
const LINES_PER_BRANCH: usize = 4;
const LINES_PER_FUNCTION: usize = 50;

fn main() {
    let (folder, report) = (tempfile::tempdir().unwrap(), report());
    let path = folder.path().join("gcov.json");
    std::fs::write(&path, &report).unwrap();
    let megabytes = f64::from(u32::try_from(report.len()).unwrap()) / 1e6;
    let scope = Scope::default();
    let mut loader = CoverageLoader::new(&scope);
    let executed = with_metacov(&path, &mut loader);
    assert_eq!(executed, with_serde_stream(&path), "lines, branches and functions that ran");
    assert_eq!(executed, with_serde_slice(&path), "lines, branches and functions that ran");
    println!("{megabytes:.1} MB of gcov JSON, {executed} sites executed\n");

    println!("{:48} {:>8} {:>8}", "", "MB/s", "ratio");
    let ours = fastest(|| with_metacov(&path, &mut loader));
    let show = |what: &str, time: Duration| {
        let ratio = ours.as_secs_f64() / time.as_secs_f64();
        println!("{what:48} {:8.0} {ratio:8.2}", megabytes / time.as_secs_f64());
    };
    show("metacov, to a cover of known sites", ours);
    let first = fastest(|| with_metacov(&path, &mut CoverageLoader::new(&scope)));
    show("metacov, to a new site table and a cover", first);
    show("serde_json, to structs, from a stream", fastest(|| with_serde_stream(&path)));
    show("serde_json, to structs, whole text in memory", fastest(|| with_serde_slice(&path)));
    show("serde_json, to a tree, whole text in memory", fastest(|| with_serde_tree(&path)));
}

fn with_metacov(path: &Path, loader: &mut CoverageLoader<'_>) -> u64 {
    loader.read(CoverageFile::open(path).unwrap(), None).unwrap().executed.len()
}

fn with_serde_stream(path: &Path) -> u64 {
    let input = BufReader::with_capacity(BUFFER_BYTES, File::open(path).unwrap());
    executed(&serde_json::from_reader(input).unwrap())
}

fn with_serde_slice(path: &Path) -> u64 {
    executed(&serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
}

fn with_serde_tree(path: &Path) -> u64 {
    let tree: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    tree["files"].as_array().map_or(0, |files| files.len() as u64)
}

/// The parts of gcov's report that coverage needs.
#[derive(Deserialize)]
struct Report {
    files: Vec<SourceFile>,
}

#[derive(Deserialize)]
struct SourceFile {
    #[serde(rename = "file")]
    _path: String,
    lines: Vec<Line>,
    functions: Vec<Function>,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "line_number")]
    _number: u32,
    count: u64,
    branches: Vec<Branch>,
}

#[derive(Deserialize)]
struct Branch {
    count: u64,
}

#[derive(Deserialize)]
struct Function {
    #[serde(rename = "name")]
    _name: String,
    execution_count: u64,
}

fn executed(report: &Report) -> u64 {
    let ran = |count: u64| u64::from(count > 0);
    let lines = report.files.iter().flat_map(|file| &file.lines);
    let functions = report.files.iter().flat_map(|file| &file.functions);
    let of_lines = lines.map(|line| {
        ran(line.count) + line.branches.iter().map(|branch| ran(branch.count)).sum::<u64>()
    });
    of_lines.sum::<u64>() + functions.map(|function| ran(function.execution_count)).sum::<u64>()
}

/// A report with the keys and the layout of gcov 12.
fn report() -> Vec<u8> {
    let mut json = r#"{"gcc_version": "12.2.0", "files": ["#.to_owned();
    for file in 0..FILES {
        json += if file == 0 { r#"{"lines": ["# } else { r#", {"lines": ["# };
        for line in 0..LINES_PER_FILE {
            write_line(&mut json, line).unwrap();
        }
        json += r#"], "functions": ["#;
        for start in (0..LINES_PER_FILE).step_by(LINES_PER_FUNCTION) {
            write_function(&mut json, file, start).unwrap();
        }
        write!(json, r#"], "file": "src/module_{file}/source.cpp"}}"#).unwrap();
    }
    json += r#"], "format_version": "1", "data_file": "main.gcda", "current_working_directory": "/build"}"#;
    json.into_bytes()
}

fn write_line(json: &mut String, line: usize) -> std::fmt::Result {
    json.push_str(if line == 0 { r#"{"branches": ["# } else { r#", {"branches": ["# });
    if line.is_multiple_of(LINES_PER_BRANCH) {
        write!(json, r#"{{"fallthrough": true, "count": {line}, "throw": false}}, "#)?;
        write!(json, r#"{{"fallthrough": false, "count": {}, "throw": false}}"#, line % 3)?;
    }
    let (number, count, name) = (line + 1, line % 5 * 1000, line / LINES_PER_FUNCTION);
    write!(json, r#"], "count": {count}, "line_number": {number}, "#)?;
    write!(json, r#""unexecuted_block": false, "function_name": "_ZN6module8function{name}Ev"}}"#)
}

fn write_function(json: &mut String, file: usize, start: usize) -> std::fmt::Result {
    let (first, last, number) = (start + 1, start + LINES_PER_FUNCTION, start / LINES_PER_FUNCTION);
    json.push_str(if start == 0 { "{" } else { ", {" });
    write!(json, r#""blocks": 12, "end_column": 1, "start_line": {first}, "#)?;
    write!(json, r#""name": "_ZN6module8function{number}Ev{file}", "blocks_executed": 7, "#)?;
    write!(json, r#""execution_count": {}, "#, start % 3)?;
    write!(json, r#""demangled_name": "module::function{number}()", "#)?;
    write!(json, r#""start_column": 6, "end_line": {last}}}"#)
}

fn fastest(mut read: impl FnMut() -> u64) -> Duration {
    let times = (0..TIMES).map(|_| {
        let start = Instant::now();
        std::hint::black_box(read());
        start.elapsed()
    });
    times.min().unwrap_or_default()
}
