//! Our runtime against libgcov: the same objects, linked with either, count the same, number by
//! number, as gcov itself tells it.

mod arena;
#[path = "../../../formats/tests/gcov/oracle.rs"]
mod oracle;
mod twin;

use std::path::{Path, PathBuf};
use std::process::Command;

use twin::{GCC, GCC_11, Image, Tools, Twin};

/// Words of the program that has libraries of its own; each line is an input.
const PLUGINS: [&str; 24] = [
    "",
    "c",
    "c1",
    "c123",
    "c1234 clong",
    "l",
    "lx",
    "laz",
    "l123",
    "Lab",
    "Lab1234 lx m12",
    "m",
    "mabc",
    "mabcdefg",
    "nab",
    "nabcdef",
    "v",
    "vlong",
    "twice twiceab",
    "odd oddx oddxy",
    "shout shout12",
    "unknown",
    "c l m n v twice odd shout",
    "Labc c12 c12 nabc nabcd odda mabcdef shout1",
];

#[test]
fn a_program_with_libraries_and_without_optimization() {
    plugins(GCC, "-O0");
}

#[test]
fn a_program_with_libraries_and_with_optimization() {
    plugins(GCC, "-O2");
}

#[test]
fn a_program_with_libraries_by_gcc_11() {
    plugins(GCC_11, "-O0");
}

fn plugins(tools: Tools, level: &str) {
    let sources = target("plugins", &["main.cpp", "linked.cpp", "loaded.cpp", "plugins.h"]);
    let images = [
        Image { name: "liblinked.so", sources: &["linked.cpp"], links: &[] },
        Image { name: "libloaded.so", sources: &["loaded.cpp"], links: &["-llinked"] },
        Image { name: "program", sources: &["main.cpp"], links: &["-llinked", "-ldl"] },
    ];
    let twin = Twin::build(tools, &["-std=c++17", level], &sources, &images);
    for words in PLUGINS {
        twin.check(&words.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>());
    }
}

#[test]
fn sqlite_without_optimization() {
    sqlite("-O0");
}

#[test]
fn sqlite_with_optimization() {
    sqlite("-O2");
}

fn sqlite(level: &str) {
    let folder = sqlite_source();
    let driver = repository().join("benches/driver.c");
    let sources = [driver, folder.join("sqlite3.c"), folder.join("sqlite3.h")];
    let images = [Image { name: "program", sources: &["driver.c", "sqlite3.c"], links: &["-lm"] }];
    let options = [level, "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"];
    let twin = Twin::build(GCC, &options, &sources, &images);
    let scripts = include_str!("../../../formats/tests/gcov/sqlite.sql").split("\n\n");
    let mut count = 0;
    for (number, sql) in scripts.enumerate() {
        let name = format!("{number}.sql");
        std::fs::write(twin.folder().join(&name), sql).unwrap();
        twin.check(&[&name]);
        count += 1;
    }
    assert!(count >= 20);
}

/// The folder of SQLite's sources in the package that bundles it.
fn sqlite_source() -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--offline"]);
    let output = cargo.current_dir(repository()).output().unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "libsqlite3-sys").unwrap();
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    manifest.with_file_name("sqlite3")
}

fn target(name: &str, files: &[&str]) -> Vec<PathBuf> {
    let folder = repository().join("tests/targets").join(name);
    files.iter().map(|file| folder.join(file)).collect()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
