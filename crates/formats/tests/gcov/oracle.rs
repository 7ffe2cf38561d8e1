//! Parses gcov's JSON.

use metacov_formats::{BranchCount, FunctionCounts, LineCounts, UnitCounts};
use serde_json::Value;

/// A source file of a unit: its path, its lines and its functions, sorted.
pub type File = (String, Vec<LineCounts>, Vec<FunctionCounts>);

/// The files of all units, as gcov reports them.
pub fn units(json: &[u8]) -> Vec<Vec<File>> {
    let documents = serde_json::Deserializer::from_slice(json).into_iter::<Value>();
    documents.map(|document| unit(&document.unwrap())).collect()
}

/// Fails at the first difference.
#[track_caller]
pub fn assert_same(ours: &[UnitCounts], right: &[Vec<File>], what: &str) {
    assert_eq!(ours.len(), right.len(), "{what}: units");
    for (ours, right) in ours.iter().zip(right) {
        let ours = ours
            .files
            .iter()
            .map(|file| (file.path.clone(), file.lines.clone(), file.functions.clone()));
        let ours = ordered(ours.collect());
        let paths = |files: &[File]| files.iter().map(|file| file.0.clone()).collect::<Vec<_>>();
        assert_eq!(paths(&ours), paths(right), "{what}: files");
        for ((path, lines, functions), (_, right_lines, right_functions)) in ours.iter().zip(right)
        {
            for (line, right) in lines.iter().zip(right_lines) {
                assert_eq!(line, right, "{what}: {path}");
            }
            for (function, right) in functions.iter().zip(right_functions) {
                assert_eq!(function, right, "{what}: {path}");
            }
            let counts = (lines.len(), functions.len());
            assert_eq!(counts, (right_lines.len(), right_functions.len()), "{what}: {path}");
        }
    }
}

fn unit(document: &Value) -> Vec<File> {
    let files = list(&document["files"]).map(|file| {
        let lines = list(&file["lines"]).map(line).collect();
        (text(&file["file"]), lines, list(&file["functions"]).map(function).collect())
    });
    ordered(files.collect())
}

fn line(line: &Value) -> LineCounts {
    let branch = |branch: &Value| BranchCount {
        count: number(&branch["count"]),
        falls_through: branch["fallthrough"].as_bool().unwrap(),
        throws: branch["throw"].as_bool().unwrap(),
    };
    LineCounts {
        line: small(&line["line_number"]),
        function: line.get("function_name").map(text),
        ran: number(&line["count"]) > 0,
        branches: list(&line["branches"]).map(branch).collect(),
    }
}

fn function(function: &Value) -> FunctionCounts {
    FunctionCounts {
        name: text(&function["name"]),
        first_line: small(&function["start_line"]),
        last_line: small(&function["end_line"]),
        count: number(&function["execution_count"]),
        blocks: number(&function["blocks"]),
        blocks_executed: number(&function["blocks_executed"]),
    }
}

/// gcov's order of files, lines and functions is arbitrary.
fn ordered(mut files: Vec<File>) -> Vec<File> {
    for (_, lines, functions) in &mut files {
        lines
            .sort_by(|left, right| (left.line, &left.function).cmp(&(right.line, &right.function)));
        functions.sort_by(|left, right| left.name.cmp(&right.name));
    }
    files.retain(|(_, lines, functions)| !lines.is_empty() || !functions.is_empty());
    files.sort_by(|left, right| left.0.cmp(&right.0));
    files
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn small(value: &Value) -> u32 {
    u32::try_from(number(value)).unwrap()
}
