//! DuckDB, as it was released. The first run needs pip and its package index.

mod coverage;
mod known_bugs;
mod known_faults;
mod success;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use crate::run::{self, Run, repository};

/// The folder of built and released libraries, which outlives a run of the tests: `METACOV_CACHE`, if it
/// is set.
static CACHE: LazyLock<PathBuf> = LazyLock::new(|| {
    let of_user = std::env::var_os("METACOV_CACHE").map(PathBuf::from);
    let cache = of_user.unwrap_or(Path::new(env!("CARGO_TARGET_TMPDIR")).join("duckdb"));
    let folder = tempfile::tempdir().unwrap();
    metacov(folder.path(), &cache, &["target", "build", "duckdb", "--no-coverage"]).ok();
    cache
});

fn metacov(folder: &Path, cache: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    run::of(command.env("METACOV_CACHE", cache).current_dir(folder).args(args))
}

#[test]
fn a_release_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| metacov(folder.path(), &folder.path().join("cache"), args);
    let said = run(&["measure", "duckdb", "--no-coverage"]).failed(2);
    assert!(said.contains("metacov target build duckdb"), "{said}");
    let said = run(&["measure", "duckdb@9.9.9", "--no-coverage"]).failed(2);
    assert!(said.contains("duckdb has no version 9.9.9: metacov target list"), "{said}");
    let said = run(&["target", "build", "duckdb@9.9.9"]).failed(3);
    assert!(said.contains("no such release"), "{said}");
    let said = run(&["target", "build", "duckdb@1.5.6"]);
    assert!(said.stderr.contains("--no-coverage fetches the released library"), "{said:?}");
    let said = run(&["target", "build", "duckdb@0.0.1", "--no-coverage"]);
    assert!(said.stderr.contains("metacov target list shows all versions"), "{said:?}");
    let list = run(&["target", "list"]).ok().stdout;
    assert!(list.contains("duckdb@0.5.1    not built\n"), "{list}");
}

#[test]
fn a_release_that_cannot_be_fetched_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    for more in [&["--no-coverage"][..], &[]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        command.env("METACOV_CACHE", &cache).env("PIP_NO_INDEX", "1");
        let said = run::of(command.args(["target", "build", "duckdb@0.1.7"]).args(more));
        assert_ne!(said.code, 0, "{said:?}");
        assert!(said.stderr.contains("pip cannot fetch the package duckdb 0.1.7"), "{said:?}");
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);
    }
}

#[test]
fn a_library_that_is_not_duckdb_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.c");
    fs::write(&file, "int other(void) { return 1; }\n").unwrap();
    let mut gcc = Command::new("gcc");
    run::of(gcc.current_dir(folder.path()).args(["-shared", "other.c", "-o", "other.so"])).ok();
    let measure = ["measure", "duckdb", "--library", "other.so", "--no-coverage", "--count", "1"];
    let said = metacov(folder.path(), &folder.path().join("cache"), &measure);
    assert_ne!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("other.so") && said.stderr.contains("duckdb_open"), "{said:?}");

    // A library that ends the process when it is loaded, as a damaged one may.
    fs::write(&file, "__attribute__((constructor)) static void end(void) { __builtin_trap(); }\n")
        .unwrap();
    let mut gcc = Command::new("gcc");
    run::of(gcc.current_dir(folder.path()).args(["-shared", "other.c", "-o", "other.so"])).ok();
    let said = metacov(folder.path(), &folder.path().join("cache"), &measure).failed(1);
    assert!(said.contains("other.so: signal 4"), "{said}");
}

#[test]
fn a_release_of_another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let other = cache.join("duckdb-1.5.6-release");
    fs::create_dir_all(&other).unwrap();
    let library = "libduckdb-release.so";
    symlink(CACHE.join("duckdb-2.0.0-release").join(library), other.join(library)).unwrap();
    let measure = ["measure", "duckdb@1.5.6", "--no-coverage", "--count", "1"];
    let said = metacov(folder.path(), &cache, &measure).failed(1);
    let expected = format!("{library}: DuckDB 2.0.0, not 1.5.6 (remove the folder)");
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn a_full_cache_is_named() {
    // A package index that is not there, and a pip that says what it says if the disk is full.
    let folder = tempfile::tempdir().unwrap();
    let python = folder.path().join("python3");
    let script =
        "#!/bin/sh\necho \"OSError: [Errno 28] No space left on device: 'a'\" >&2\nexit 2\n";
    fs::write(&python, script).unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.env("METACOV_CACHE", folder.path().join("cache")).env("PATH", path);
    let said = run::of(command.args(["target", "build", "duckdb", "--no-coverage"])).failed(1);
    assert!(said.contains("cannot write duckdb to ") && said.contains("No space left"), "{said}");
}

#[test]
fn relations_hold_on_a_release_whatever_the_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| metacov(folder.path(), &CACHE, args);
    let small = ["measure", "duckdb", "--no-coverage", "--count", "12", "--databases", "4", "-j"];
    let one = run(&[&small[..], &["1"]].concat()).ok();
    let row = one.row(&["all", "96"]);
    assert_eq!(row[3], "0", "violated: {row:?}");
    assert!(row[2].parse::<u32>().unwrap() >= 87, "held: {row:?}");
    assert_eq!(run(&[&small[..], &["2"]].concat()).ok().stdout, one.stdout);

    let said = run(&["measure", "duckdb", "--count", "1"]).failed(2);
    assert!(said.contains("duckdb has no counters"), "{said}");
    let fuzz = ["fuzz", "duckdb", "--no-coverage", "--count", "60", "--database-pairs", "30"];
    run(&[&fuzz[..], &["-o", "duck.metacov"]].concat()).ok();
    // Query plans are those of EXPLAIN.
    let qpg = [&fuzz[..], &["-o", "plans.metacov", "--guidance", "qpg"]].concat();
    let said = run(&qpg).ok();
    assert!(said.stderr.contains("query plans"), "{said:?}");
    let said = run(&[&fuzz[..], &["-o", "other.metacov", "--guidance", "mcg"]].concat()).failed(2);
    assert!(said.contains("--no-coverage goes with --guidance qpg or none"), "{said}");
}

/// The benchmark works; most of its processor time is DuckDB's in a release build.
#[test]
fn time_is_spent_inside_the_engine() {
    let mut command = Command::new(repository().join("benches/duckdb"));
    command.env("METACOV_CACHE", &*CACHE).args(["--quick", "--metacov"]);
    let run = run::of(command.arg(env!("CARGO_BIN_EXE_metacov"))).ok();
    let share = run.stdout.trim_end().trim_end_matches('%').rsplit(' ').next().unwrap();
    // A debug build of metacov takes more of it.
    assert!((30..=100).contains(&share.parse::<u32>().unwrap()), "{run:?}");
}

/// Writes a finding, as if another person had sent it, and replays it.
fn replay(folder: &Path, setup: &str, a: &str, b: &str) -> Run {
    let finding = folder.join("finding");
    fs::create_dir_all(&finding).unwrap();
    let text = format!(
        "format = 'metacov-finding'\nversion = 1\nsignature = ''\nshape = []\n\
         target = 'duckdb'\nmetacov = ''\nrelation = 'optimizer'\ncomparison = 'bag'\nhow = ''\n\
         seed = 1\ndatabase = 1\npair = 1\nstatements_before = 1\nbytes_before = 1\n\
         candidates = 1\nsetup = [{setup}]\na = [{a}]\nb = [{b}]\nfailure = 'violation'\n"
    );
    fs::write(finding.join("finding.toml"), text).unwrap();
    metacov(folder, &CACHE, &["replay", "finding"])
}

#[test]
fn a_finding_of_another_person_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let copy = format!("\"COPY (SELECT 1) TO '{}'\"", file.display());
    let run = replay(folder.path(), &copy, "\"SELECT 1\"", &copy).ok();
    assert!(run.stdout.contains("does not run: only the second side failed"), "{run:?}");
    let said = format!("warning: finding: a statement that begins with COPY is not run: {copy}");
    assert!(run.stderr.contains(&said), "{run:?}");
    assert!(!file.exists());
}
