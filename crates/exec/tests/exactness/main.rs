//! Compares metacov's runtime with libgcov: the same objects, linked with either, have the same
//! counts, as gcov reports them.

mod arena;
#[path = "../../../formats/tests/gcov/oracle.rs"]
mod oracle;
mod twin;

use std::path::{Path, PathBuf};

use metacov_runtime::COUNTING_LEVEL;
use twin::{GCC, GCC_11, Image, Tools, Twin};

/// Commands for the program that loads libraries; each line is an input.
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

/// What `__gcov_dump`, `__gcov_reset`, `fork` and `exec` do to counts, in all orders.
#[test]
fn a_program_that_keeps_and_forgets_counts() {
    let sources = target("keeps", &["keeps.c", "library.c", "keeps.h"]);
    let images = [
        Image { name: "libkept.so", sources: &["library.c"], links: &[] },
        Image { name: "program", sources: &["keeps.c"], links: &["-lkept"] },
    ];
    let twin = Twin::build(GCC, &["-O0"], &sources, &images);
    // Without `d f`: if a process enters a line in the middle, by a fork that is not counted, gcov
    // reports that a branch of the line ran and the line did not.
    let inputs = [
        "w l",
        "w r",
        "w r o",
        "w r l",
        "l r",
        "l r w",
        "w d",
        "w d o",
        "l d l",
        "w d d",
        "w d o d",
        "w d r o",
        "w d o r",
        "w d o r w",
        "w d o d r w l",
        "d r d r w",
        "r d w",
        "w r d",
        "f w",
        "w f o",
        "w l f w l",
        "w d r f o",
        "w r f o",
        "f w d o",
        "f w r o",
        "f f f w",
        "w e o",
        "w d e o",
        "w d r e l",
        "w f o e l",
        "w x o",
        "w d x o",
        "d x o d",
    ];
    for words in inputs {
        twin.check(&words.split(' ').collect::<Vec<_>>());
    }
}

#[test]
fn a_program_of_several_processes() {
    let sources = target("family", &["family.c"]);
    let images = [Image { name: "program", sources: &["family.c"], links: &[] }];
    let twin = Twin::build(GCC, &["-O0"], &sources, &images);
    for input in ["", "forks", "forks forks", "outlives", "other", "spawns", "spawns forks other"] {
        twin.check(&[&twin.file(input)]);
    }
}

#[test]
fn a_program_of_several_threads() {
    let sources = target("threads", &["threads.c"]);
    let images = [Image { name: "program", sources: &["threads.c"], links: &[] }];
    let twin = Twin::build(GCC, &["-O0", "-pthread"], &sources, &images);
    for input in ["0", "1", "2", "8"] {
        twin.check(&[&twin.file(input)]);
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
    let cache = tempfile::tempdir().unwrap();
    let folder = metacov_targets::sqlite::unpack(cache.path()).unwrap();
    let driver = repository().join("benches/driver.c");
    let sources = [driver, folder.join("sqlite3.c"), folder.join("sqlite3.h")];
    let images = [Image { name: "program", sources: &["driver.c", "sqlite3.c"], links: &["-lm"] }];
    let options = [level, &["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"]].concat();
    let twin = Twin::build(GCC, &options, &sources, &images);
    let scripts = include_str!("../../../formats/tests/gcov/sqlite.sql").split("\n\n");
    // VACUUM derives a name from a random number, which sometimes has a digit less.
    let scripts: Vec<&str> = scripts.filter(|sql| !sql.contains("VACUUM")).collect();
    assert!(scripts.len() >= 20);
    for sql in scripts {
        twin.check(&[&twin.file(sql)]);
    }
}

fn target(name: &str, files: &[&str]) -> Vec<PathBuf> {
    let folder = repository().join("tests/targets").join(name);
    files.iter().map(|file| folder.join(file)).collect()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
