//! Known bugs of DuckDB, on the releases that have them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{CACHE, metacov};
use crate::run::repository;

fn corpus() -> Vec<Value> {
    let text = fs::read_to_string(repository().join("examples/bugs/duckdb.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_known_bug_is_bisected_on_releases() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| metacov(folder.path(), &CACHE, args);
    let bug: Vec<Value> = corpus().into_iter().filter(|bug| bug["id"] == "duckdb-3659a").collect();
    fs::write(folder.path().join("bug.json"), serde_json::to_string(&bug).unwrap()).unwrap();
    let fails = run(&["replay", "bug.json", "--fetch"]);
    assert_eq!(fails.code, 6, "{fails:?}");
    let row = fails.row(&["duckdb-3659a"]);
    assert_eq!(row[2], "duckdb@0.3.4", "{fails:?}");
    assert!(row[3].starts_with("fails: "), "{fails:?}");
    let newer = run(&["replay", "bug.json", "--target", "duckdb@0.4.0", "--fetch"]).ok();
    assert!(newer.stdout.contains("does not fail"), "{newer:?}");
    let bisected = run(&["replay", "bug.json", "--bisect"]).ok();
    let row = bisected.row(&["duckdb-3659a"]);
    assert_eq!(row[2..4], ["duckdb@0.3.4", "duckdb@0.4.0"], "{bisected:?}");
}

/// All of them fail on the release that they name, and not on the one that is said to have the fix.
#[test]
#[ignore = "fetches 18 releases: cargo test -p metacov --test end_to_end known_bugs -- --ignored"]
fn all_known_bugs_fail_on_their_releases() {
    let path = repository().join("examples/bugs/duckdb.json");
    let args = ["replay", path.to_str().unwrap(), "--bisect", "--fetch"];
    let bisected = metacov(Path::new("."), &CACHE, &args).ok();
    for bug in corpus() {
        let row = bisected.row(&[bug["id"].as_str().unwrap()]);
        let name = |field: &str| format!("duckdb@{}", bug[field].as_str().unwrap());
        assert_ne!(row[2], "none", "{row:?}");
        // Releases between the two were not looked at when the corpus was made.
        println!("{row:?}, in the corpus {} and {}", name("version"), name("agrees_in"));
    }
}
