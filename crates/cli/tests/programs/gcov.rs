//! The reports of gcov: the program, linked with gcc's own libgcov, is run once for each side, and
//! gcov reads its counters.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::build::Tree;
use crate::elements::{Element, Side, clean};

/// The report of gcov for one side.
pub struct Expected {
    pub side: Side,
    /// Elements that gcov itself does not report consistently: code that depends on the schedule of
    /// threads, on addresses or on the clock.
    pub unstable: BTreeSet<Element>,
}

/// The sides of each pair, by its name.
pub type Report = BTreeMap<String, [Expected; 2]>;

/// Runs all sides twice.
pub fn report(tree: &Tree) -> Report {
    let pairs = tree.fresh_pairs().inputs.into_iter();
    let expected = |input: PathBuf| {
        let (side, unstable) = run(tree, &input);
        Expected { side, unstable }
    };
    let mut report = pairs.map(|(name, inputs)| (name, inputs.map(expected))).collect();
    repeat(tree, &mut report);
    report
}

/// Runs all sides once more and records the elements that are not reported consistently.
pub fn repeat(tree: &Tree, report: &mut Report) {
    for (name, inputs) in tree.fresh_pairs().inputs {
        let sides = report.get_mut(&name).unwrap();
        for (Expected { side, unstable }, input) in sides.iter_mut().zip(inputs) {
            let (again, negative) = run(tree, &input);
            unstable.extend(side.executed.symmetric_difference(&again.executed).cloned());
            unstable.extend(side.known.symmetric_difference(&again.known).cloned());
            unstable.extend(negative);
        }
    }
}

/// Runs an input. Returns gcov's report, and the elements with negative counts, which are caused by
/// lost updates between threads.
fn run(tree: &Tree, input: &Path) -> (Side, BTreeSet<Element>) {
    tree.fresh_pairs();
    let counters = tree.folder().join("counters");
    if counters.exists() {
        fs::remove_dir_all(&counters).unwrap();
    }
    let words = tree.command_line().map(|word| word.replace("@@", input.to_str().unwrap()));
    let words: Vec<String> = words.collect();
    let mut program = Command::new(&words[0]);
    program.args(&words[1..]).current_dir(tree.sources()).env("GCOV_PREFIX", &counters);
    program.stdin(Stdio::null()).output().unwrap();

    // gcov searches for notes beside counters.
    let mut data = Vec::new();
    find(&counters, "gcda", &mut data);
    assert!(!data.is_empty(), "{}: no counters", input.display());
    for data in &data {
        let built = Path::new("/").join(data.strip_prefix(&counters).unwrap());
        fs::copy(built.with_extension("gcno"), data.with_extension("gcno")).unwrap();
    }
    let mut gcov = Command::new("gcov");
    gcov.args(["--json-format", "--branch-probabilities", "--stdout"]).args(&data);
    let output = gcov.current_dir(&counters).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let (mut reported, mut negative) = (Side::default(), BTreeSet::new());
    for document in serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>() {
        for (element, count) in elements(&document.unwrap()) {
            if count < 0 {
                negative.insert(element.clone());
            }
            reported.add(element, count > 0);
        }
    }
    (reported, negative)
}

/// The elements of a translation unit with their counts. A line occurs several times if several
/// functions have it.
fn elements(document: &Value) -> Vec<(Element, i64)> {
    let folder = Path::new(document["current_working_directory"].as_str().unwrap());
    let mut elements = Vec::new();
    for of_file in document["files"].as_array().unwrap() {
        let file = clean(&folder.join(of_file["file"].as_str().unwrap()));
        for of_line in of_file["lines"].as_array().unwrap() {
            let line = of_line["line_number"].as_u64().unwrap();
            let element = Element::Line { file: file.clone(), line };
            elements.push((element, of_line["count"].as_i64().unwrap()));
            for (position, branch) in (0..).zip(of_line["branches"].as_array().unwrap()) {
                let element = Element::Branch { file: file.clone(), line, position };
                elements.push((element, branch["count"].as_i64().unwrap()));
            }
        }
        for function in of_file["functions"].as_array().unwrap() {
            let line = function["start_line"].as_u64().unwrap();
            let name = function["name"].as_str().unwrap().to_owned();
            let element = Element::Function { file: file.clone(), line, name };
            elements.push((element, function["execution_count"].as_i64().unwrap()));
        }
    }
    elements
}

fn find(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, ending, found);
        } else if path.extension().is_some_and(|of| of == ending) {
            found.push(path);
        }
    }
}
