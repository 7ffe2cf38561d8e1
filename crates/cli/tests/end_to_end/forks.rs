//! Fork mode runs the same code as exec mode, element by element, and refuses what it cannot run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::run::{Run, metacov_in, of, repository};
use crate::trial::{built, cache};

/// A C++ program with constructors of all kinds, linked with a library that has some too.
fn startup() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("targets/startup");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let sources = repository().join("tests/targets/startup");
        for name in ["main.cpp", "library.cpp", "startup.h"] {
            fs::copy(sources.join(name), folder.join(name)).unwrap();
        }
        let compile = |words: &[&str]| {
            let mut cpp = Command::new(env!("CARGO_BIN_EXE_metacov"));
            cpp.arg("c++").args(words).env("METACOV_CACHE", cache()).current_dir(&folder);
            of(&mut cpp).ok();
        };
        compile(&["-shared", "-fPIC", "library.cpp", "-o", "libstartup.so"]);
        let library = ["-L.", "-lstartup", "-Wl,-rpath,$ORIGIN"];
        compile(&[&["main.cpp", "-o", "program"], &library[..]].concat());
        folder.join("program")
    })
}

/// A folder with one pair, whose sides have names of different lengths and extensions.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let pair = folder.path().join("pairs/names/first");
    fs::create_dir_all(&pair).unwrap();
    fs::write(pair.join("a.txt"), "some words").unwrap();
    fs::write(pair.join("b-with-a-longer-name.sql"), "some other words").unwrap();
    folder
}

/// The states of all sites for each side of the pair, element by element.
#[track_caller]
fn states(folder: &Path, mode: &str, options: &[&str], command: &[&str]) -> Value {
    let measure = ["measure", "--mode", mode, "--format", "json", "-o", "mc.json", "-q"];
    let command = [&["--"], command].concat();
    metacov_in(folder, &[&measure[..], options, &command].concat()).ok();
    let mut document: Value =
        serde_json::from_slice(&fs::read(folder.join("mc.json")).unwrap()).unwrap();
    assert!(document["total"]["summary"]["line"]["executed"].as_u64().unwrap() > 0);
    document["files"].take()
}

/// Compares exec and fork mode.
#[track_caller]
fn check_same(folder: &Path, options: &[&str], command: &[&str]) {
    let exec = states(folder, "exec", options, command);
    let fork = states(folder, "fork", options, command);
    for (exec, fork) in exec.as_array().unwrap().iter().zip(fork.as_array().unwrap()) {
        assert_eq!(exec, fork, "{}", exec["path"]);
    }
    assert_eq!(exec, fork);
}

#[test]
fn exec_and_fork_run_the_same_code() {
    let folder = folder();
    let program = startup().to_str().unwrap();
    let pairs = ["--pairs", "pairs"];
    check_same(folder.path(), &pairs, &[program, "@@"]);
    check_same(folder.path(), &pairs, &[program, "--option", "--file=@@"]);
    check_same(folder.path(), &pairs, &[program]);
    fs::write(folder.path().join("setup.sql"), "words that come first\n").unwrap();
    let setup = [&pairs[..], &["--setup", "setup.sql"]].concat();
    check_same(folder.path(), &setup, &[program, "@@"]);
    check_same(folder.path(), &setup, &[program]);
    let whole_path = folder.path().join("pairs");
    check_same(folder.path(), &["--pairs", whole_path.to_str().unwrap()], &[program, "@@"]);
    for target in ["endings", "store"] {
        let program = built(target, false);
        check_same(folder.path(), &pairs, &[program.to_str().unwrap(), "@@"]);
        check_same(folder.path(), &pairs, &[program.to_str().unwrap()]);
    }
}

/// Counters of several executions are solved together. Between them are executions whose counters
/// are read at once, and some that fail. Each pair has a relation, and so rows in the table.
#[test]
fn executions_that_are_solved_together_keep_their_covers() {
    const ENDS: [&str; 10] = [
        "4",
        "7",
        "print 10",
        "segv",
        "return 3",
        "forks 2",
        "abort",
        "vanish",
        "move",
        "return -1",
    ];
    let folder = tempfile::tempdir().unwrap();
    for number in 0..60 {
        let pair = folder.path().join(format!("pairs/relation-{number:02}/pair"));
        fs::create_dir_all(&pair).unwrap();
        for (side, at) in [("a.txt", number), ("b.txt", number / 5), ("c.txt", number / 7)] {
            fs::write(pair.join(side), ENDS[at % ENDS.len()]).unwrap();
        }
    }
    let (program, library) = (built("endings", false), built("endings", true));
    let table = |mode: &str, program: &Path, more: &[&str]| {
        let words = ["measure", "--pairs", "pairs", "--mode", mode, "-j", "2"];
        let run = metacov_in(
            folder.path(),
            &[&words[..], more, &["--", program.to_str().unwrap()]].concat(),
        );
        let of_pair = |row: &&str| row.starts_with("relation-");
        run.ok().stdout.lines().filter(of_pair).collect::<Vec<_>>().join("\n")
    };
    let exec = table("exec", &program, &[]);
    assert!(exec.lines().count() > 60, "{exec}");
    assert_eq!(table("fork", &program, &[]), exec);
    // One execution at a time: those that are repeated are not taken.
    let inline = table("inline", &library, &[]);
    assert_eq!(inline, table("inline", &library, &["--repeat", "2"]));
}

/// Such sides have a separate process in fork mode too.
#[test]
fn sides_with_arguments_can_be_measured_in_fork_mode() {
    let folder = folder();
    let manifest = r#"
{"relation": "args", "pair": 1, "a": "first/a.txt", "b": {"input": "first/a.txt", "args": ["x.sql"]}}
{"relation": "env", "pair": 2, "a": "first/a.txt", "b": {"input": "first/a.txt", "env": {"METACOV_A": "1", "METACOV_B": "2"}}}
{"relation": "stdin", "pair": 3, "a": {"stdin": "first/a.txt"}, "b": "first/a.txt"}
{"relation": "none", "pair": 4, "a": {}, "b": "first/a.txt"}
"#;
    fs::write(folder.path().join("pairs/names/pairs.jsonl"), manifest).unwrap();
    let pairs = ["--pairs", "pairs/names/pairs.jsonl", "-j", "1"];
    check_same(folder.path(), &pairs, &[startup().to_str().unwrap(), "@@"]);
    // A library is called, so it has no arguments. The error comes before anything runs.
    let library = built("store", true);
    for mode in ["fork", "inline"] {
        let words = ["measure", "--mode", mode, "-q", "--pairs", "pairs/names/pairs.jsonl", "--"];
        let run = metacov_in(folder.path(), &[&words[..], &[library.to_str().unwrap()]].concat());
        insta::allow_duplicates! {
            insta::assert_snapshot!(run.failed(2), @"error: pair 1 of args: a shared library gets an `input` and nothing else: remove `args`, `env` and `stdin`, or measure a program");
        }
    }
}

fn measure(folder: &Path, mode: &str, program: &Path) -> Run {
    let words = ["measure", "--pairs", "pairs", "--mode", mode, "--"];
    metacov_in(folder, &[&words[..], &[program.to_str().unwrap(), "@@"]].concat())
}

#[test]
fn a_wrapper_script_must_pass_on_the_path_of_the_input() {
    let folder = folder();
    let script = |name: &str, arguments: &str| {
        let path = folder.path().join(name);
        let text = format!("#!/bin/sh\nexec '{}' {arguments}\n", startup().display());
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let keeps = script("keeps", r#"--more "$@""#);
    check_same(folder.path(), &["--pairs", "pairs"], &[keeps.to_str().unwrap(), "@@"]);
    let changes = script("changes", r#""$(basename "$1")""#);
    let said = measure(folder.path(), "fork", &changes).failed(3);
    let words =
        "changes: the input's path does not reach its arguments unchanged (use --mode exec)";
    assert!(said.contains(words), "{said}");
}

#[test]
fn a_program_of_an_earlier_version_has_to_be_built_again() {
    let folder = folder();
    let source = repository().join("tests/targets/earlier/earlier.c");
    for version in ["0", "'2'"] {
        let mut gcc = Command::new("gcc");
        gcc.arg(format!("-DVERSION={version}")).arg(&source).args(["-o", "earlier"]);
        of(gcc.current_dir(folder.path())).ok();
        let said = measure(folder.path(), "fork", Path::new("./earlier")).failed(3);
        insta::allow_duplicates! {
            insta::assert_snapshot!(said, @"error: pairs/names/first/a.txt: ./earlier: it was built with an earlier metacov, and forks by other rules (build it again with this `metacov cc`, or use --mode exec)");
        }
    }
}

#[test]
fn targets_that_cannot_be_run_are_refused_by_name() {
    let folder = folder();
    let said = |mode: &str, program: &Path, code: i32| {
        let said = measure(folder.path(), mode, program).failed(code);
        said.replace(env!("CARGO_TARGET_TMPDIR"), "TARGETS")
    };
    for mode in ["exec", "fork"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(said(mode, Path::new("./nowhere"), 3), @"error: ./nowhere: no such program (is it built, and is this its path from the current folder?)");
            insta::assert_snapshot!(said(mode, Path::new("nowhere"), 3), @"error: nowhere: no such program in PATH (one in the current folder is ./nowhere)");
        }
    }
    insta::assert_snapshot!(said("inline", Path::new("./no.so"), 3), @"error: ./no.so: no such program (is it built, and is this its path from the current folder?)");
    insta::assert_snapshot!(said("exec", &built("store", true), 2), @"error: TARGETS/targets/store/library/library.so: --mode exec needs a program, and this is a shared library: use --mode inline or --mode fork, which call its LLVMFuzzerTestOneInput");
    insta::assert_snapshot!(said("inline", &built("store", false), 2), @"error: TARGETS/targets/store/program/program: --mode inline needs a shared library (.so): use --mode exec or --mode fork for a program");
}
