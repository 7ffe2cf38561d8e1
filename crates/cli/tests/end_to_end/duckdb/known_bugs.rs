//! Known bugs of DuckDB, on the releases that have them.

use std::fs;

use serde_json::Value;

use super::{CACHE, metacov};
use crate::run::repository;

#[test]
fn a_known_bug_is_replayed_on_releases() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(repository().join("examples/bugs/found.json")).unwrap();
    let mut corpus: Vec<Value> = serde_json::from_str(&text).unwrap();
    corpus.retain(|bug| bug["id"] == "duckdb-like-null");
    let corpus = serde_json::to_string(&corpus).unwrap();
    fs::write(folder.path().join("corpus.json"), corpus).unwrap();
    let newest = metacov(folder.path(), &CACHE, &["replay", "corpus.json", "--fetch"]);
    assert_eq!(newest.code, 6, "{newest:?}");
    let row = newest.row(&["duckdb-like-null"]);
    assert_eq!(row[2], "duckdb@2.0.0", "{newest:?}");
    assert!(row[3].starts_with("fails: "), "{newest:?}");
    let older = ["replay", "corpus.json", "--target", "duckdb@1.5.6", "--fetch"];
    let older = metacov(folder.path(), &CACHE, &older).ok();
    assert!(older.stdout.contains("does not fail"), "{older:?}");
}
