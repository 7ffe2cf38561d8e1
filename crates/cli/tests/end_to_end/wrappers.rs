//! `metacov cc` as builds use it: under names that they search for, and with ccache.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::{Run, metacov_in, of};
use crate::trial::cache;

const SOURCE: &str =
    "int main(int count, char **words) {\n    return count == 2 && words[1][0] == 'x';\n}\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("main.c"), SOURCE).unwrap();
    let pair = folder.path().join("pairs/first");
    fs::create_dir_all(&pair).unwrap();
    fs::write(pair.join("a"), "a").unwrap();
    fs::write(pair.join("b"), "b").unwrap();
    folder
}

/// Runs a build in a folder, without using existing caches.
fn build(folder: &Path, script: &str) -> Run {
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", script]).current_dir(folder).env("METACOV_CACHE", cache());
    shell.env("METACOV", env!("CARGO_BIN_EXE_metacov")).env("CCACHE_DIR", folder.join("ccache"));
    of(&mut shell)
}

#[track_caller]
fn check_measured(folder: &Path) {
    let run = metacov_in(folder, &["measure", "--pairs", "pairs", "-q", "--", "./main", "@@"]).ok();
    assert_eq!(run.row(&["pair", "line"])[2], "2", "{}", run.stdout);
}

/// Like the configure script of cadical, which has no option for unknown compilers.
#[test]
fn a_build_that_searches_for_gcc_in_the_compilers_name_finds_it() {
    let folder = folder();
    let run = build(folder.path(), "\"$METACOV\" cc --install 'some bin'").ok();
    let bin = folder.path().canonicalize().unwrap().join("some bin");
    let line = |variable: &str, name: &str| format!("{variable}='{}/{name}'\n", bin.display());
    assert_eq!(run.stdout, line("CC", "metacov-gcc") + &line("CXX", "metacov-g++"));
    let script = format!(
        "{} case \"$CXX\" in *g++*) level=-O3 ;; *) exit 1 ;; esac\n\
         \"$CXX\" --version >/dev/null\n\
         \"$CC\" $level -c main.c\n\
         \"$CXX\" main.o -o main\n",
        run.stdout
    );
    build(folder.path(), &script).ok();
    check_measured(folder.path());
    // It can be repeated after an update; files that are not metacov's are kept.
    build(folder.path(), "\"$METACOV\" cc --install 'some bin'").ok();
    fs::create_dir(folder.path().join("taken")).unwrap();
    fs::write(folder.path().join("taken/metacov-gcc"), "").unwrap();
    let said = build(folder.path(), "\"$METACOV\" cc --install taken").failed(1);
    assert!(said.contains("taken/metacov-gcc: file exists"), "{said}");
}

/// Notes are cached with the object if ccache sees the options of gcc.
#[test]
fn ccache_called_by_the_wrapper_keeps_notes() {
    let folder = folder();
    let script = "export METACOV_CC='ccache  gcc'\n\
                  \"$METACOV\" cc -c main.c\n\
                  rm main.o main.gcno\n\
                  \"$METACOV\" cc -c main.c && \"$METACOV\" cc main.o -o main\n\
                  ccache --print-stats | grep -E '^(direct|preprocessed)_cache_hit.[1-9]'\n";
    build(folder.path(), script).ok();
    check_measured(folder.path());
}

/// If ccache is in front, it does not know about notes, so it must not cache anything.
#[test]
fn ccache_that_calls_the_wrapper_loses_no_notes() {
    let folder = folder();
    let script = "ccache \"$METACOV\" cc -c main.c\n\
                  rm main.o main.gcno\n\
                  ccache \"$METACOV\" cc -c main.c && \"$METACOV\" cc main.o -o main\n";
    build(folder.path(), script).ok();
    check_measured(folder.path());
    // ccache runs no preprocessor if it relies on the dependencies that gcc reports.
    let said = build(folder.path(), "CCACHE_DEPEND=1 ccache \"$METACOV\" cc -MD -c main.c");
    assert!(said.failed(2).contains("set METACOV_CC=\"ccache gcc\""));
}
