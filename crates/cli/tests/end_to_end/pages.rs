//! `metacov report --html`: pages, opened in a browser and compared with the run file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::oracle::browser;
use crate::run::{metacov_in, of, repository};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs one of the scripts that open pages.
fn script(name: &str, folder: &Path, args: &[&str]) {
    let mut python = browser();
    of(python.current_dir(folder).arg(repository().join("tests/pages").join(name)).args(args)).ok();
}

#[test]
fn pages_show_the_contents_of_the_run_file() {
    let folder = folder("pages");
    let metacov = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
        command.env("METACOV_CACHE", folder.join("cache")).current_dir(&folder);
        of(command.args(args)).ok()
    };
    let suite = ["measure", "sqlite", "-q", "--count", "12", "--databases", "4", "--timeout", "60"];
    metacov(&[&suite[..], &["-o", "run.metacov"]].concat());
    let said = metacov(&["report", "run.metacov", "--html", "pages"]).stderr;
    assert!(said.contains("note: pages in pages/index.html"), "{said}");
    // The same run gives the same pages, and replaces existing ones.
    let page = |name: &str| fs::read(folder.join("pages").join(name)).unwrap();
    let before = ["index.html", "data/cases-0.js", "data/gaps.js"].map(page);
    metacov(&["report", "run.metacov", "--html", "pages", "-q"]);
    assert_eq!(before, ["index.html", "data/cases-0.js", "data/gaps.js"].map(page));
    script("check.py", &folder, &["run.metacov", "pages"]);
}

/// A hundred strings that would be markup or script, as names of files, functions, relations and
/// pairs, in sources, inputs and setups.
#[test]
fn hostile_strings_are_text() {
    let folder = folder("hostile");
    script("hostile.py", &folder, &["."]);
    metacov_in(&folder, &["diff", "-q", "--pairs", "pairs.jsonl", "-o", "names.metacov"]).ok();
    metacov_in(&folder, &["report", "names.metacov", "-q", "--html", "names"]).ok();
    metacov_in(&folder, &["cc", "-o", "prog", "prog.c"]).ok();
    let measure = ["measure", "-q", "--pairs", "pairs", "--setup", "setup.sql"];
    let measure = [&measure[..], &["-o", "inputs.metacov", "--", "./prog", "@@"]].concat();
    metacov_in(&folder, &measure).ok();
    metacov_in(&folder, &["report", "inputs.metacov", "-q", "--html", "inputs"]).ok();
    script("harmless.py", &folder, &["names", "inputs"]);
}

#[test]
fn a_folder_with_other_files_is_left_alone() {
    let folder = folder("occupied");
    let example = repository().join("examples/absdiff/pairs.jsonl");
    let diff = ["diff", "-q", "--pairs", example.to_str().unwrap(), "-o", "run.metacov"];
    metacov_in(&folder, &diff).ok();
    fs::create_dir(folder.join("mine")).unwrap();
    fs::write(folder.join("mine/letter.txt"), "dear").unwrap();
    let said = metacov_in(&folder, &["report", "run.metacov", "--html", "mine"]).failed(1);
    assert!(said.contains("mine: it has other files in it"), "{said}");
    assert_eq!(fs::read_to_string(folder.join("mine/letter.txt")).unwrap(), "dear");
}
