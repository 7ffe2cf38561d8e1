//! The pairs of inputs of a program.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The pairs, in a place where a program can run on them.
pub struct Pairs {
    /// The argument of `metacov measure --pairs`: a folder or a manifest.
    pub argument: PathBuf,
    /// The inputs of both sides, by the name of the pair.
    pub inputs: BTreeMap<String, [PathBuf; 2]>,
}

impl Pairs {
    pub fn of(folder: PathBuf) -> Self {
        let manifest = folder.join("pairs.jsonl");
        if manifest.exists() {
            let inputs = listed(&folder, &fs::read_to_string(&manifest).unwrap());
            return Pairs { argument: manifest, inputs };
        }
        let inputs = found(&folder);
        Pairs { argument: folder, inputs }
    }
}

/// The pairs of a manifest.
fn listed(folder: &Path, manifest: &str) -> BTreeMap<String, [PathBuf; 2]> {
    let pair = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| line[key].as_str().unwrap().to_owned();
        (text("pair"), ["a", "b"].map(|side| folder.join(text(side))))
    };
    manifest.lines().map(pair).collect()
}

/// The pairs of a folder: the name of an input without its extension is its side.
fn found(folder: &Path) -> BTreeMap<String, [PathBuf; 2]> {
    let pair = |pair: PathBuf| {
        let inputs = ["a", "b"].map(|side| {
            let mut inputs = entries(&pair);
            let input = inputs.find(|input| input.file_stem().is_some_and(|stem| stem == side));
            input.unwrap_or_else(|| panic!("no input {side} in {}", pair.display()))
        });
        (pair.file_name().unwrap().to_str().unwrap().to_owned(), inputs)
    };
    entries(folder).map(pair).collect()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())
}
