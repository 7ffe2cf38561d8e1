//! Compiles and runs programs, and compares metacov's result with gcov's for each run, element by
//! element.

mod blocks;
#[path = "../readers/memory.rs"]
mod memory;
mod oracle;
mod program;

use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_runtime::{COUNTING_LEVEL, EXACT_LINES};
use program::Program;

const SHAPES: [&str; 24] = [
    "",
    "loud",
    "n1",
    "n-1",
    "d0",
    "d1",
    "d50",
    "t3",
    "s40",
    "s-1",
    "loud n7 n-2 n9 d0",
    "d2 t3 s40",
    "loud d1 d2 d3",
    "n1 n2 n3 n4 n5 n6 n7 n8 n9",
    "n1 d1 n2 d0 n3 t9",
    "loud t1",
    "loud s0",
    "x",
    "loud x y z",
    "d999 d-999 t999 t-999",
    "n10 n11",
    "l l l",
    "s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12 s13 s14 s15 s16 s17",
    "loud n1 d1 t1 s1 x1",
];

#[test]
fn shapes_without_optimization() {
    shapes(&["-O0"]);
}

#[test]
fn shapes_with_optimization() {
    shapes(&["-O1"]);
    shapes(&["-O2"]);
    shapes(&["-O3"]);
}

/// The options that keep lines exact, at each level that they are used with.
#[test]
fn shapes_with_exact_lines() {
    for level in ["-O1", "-O2", "-O3", "-Os"] {
        shapes(&[&[level], &EXACT_LINES[..]].concat());
    }
}

/// A block of two files whose lines have the same number: the second file is listed without a line.
#[test]
fn lines_with_the_same_number_in_two_files() {
    let folder = repository().join("tests/targets/sameline");
    let sources = ["line.cpp", "line.h"].map(|name| folder.join(name));
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let program = Program::build("g++", &[level], &sources);
        for words in [&[][..], &["1"], &["9"], &["1", "9", "-9"]] {
            program.check(words);
        }
    }
}

fn shapes(level: &[&str]) {
    let folder = repository().join("tests/targets/shapes");
    let sources = ["main.cpp", "shapes.cpp", "shapes.h"].map(|name| folder.join(name));
    let program = Program::build("g++", level, &sources);
    for words in SHAPES {
        let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
        program.check(&words);
    }
}

#[test]
fn sqlite_without_optimization() {
    sqlite(&["-O0"]);
}

#[test]
fn sqlite_with_optimization() {
    sqlite(&COUNTING_LEVEL);
}

fn sqlite(level: &[&str]) {
    let folder = sqlite_folder();
    let driver = repository().join("benches/driver.c");
    let sources = [driver, folder.join("sqlite3.c"), folder.join("sqlite3.h")];
    let options = [level, &["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"]].concat();
    let program = Program::build("gcc", &options, &sources);
    for (number, sql) in include_str!("sqlite.sql").split("\n\n").enumerate() {
        let script = program.folder().join(format!("{number}.sql"));
        std::fs::write(&script, sql).unwrap();
        program.check(&[script.to_str().unwrap()]);
    }
}

/// The folder of the amalgamation in the sources of libsqlite3-sys, which this crate is built with.
fn sqlite_folder() -> PathBuf {
    // Packages of other platforms may not have been downloaded.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version=1", "--locked", "--filter-platform", &platform]);
    let json = program::run(cargo.current_dir(repository())).stdout;
    let metadata: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let package = packages.find(|package| package["name"] == "libsqlite3-sys").unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("sqlite3")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
