//! Source text in run files: what is shown is what was measured.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::measure::folder;
use crate::run::metacov_in;
use crate::suites::report;

fn measured() -> tempfile::TempDir {
    let folder = folder(&[("parity/1", &[("a.txt", "4"), ("b.txt", "7")])]);
    let args = ["measure", "--pairs", "pairs", "-o", "run.metacov", "--", "./program", "@@"];
    metacov_in(folder.path(), &args).ok();
    folder
}

/// The files of the pages, and what was said.
fn pages(folder: &Path, run: &str) -> (BTreeMap<String, Vec<u8>>, String) {
    let said = metacov_in(folder, &["report", run, "--html", "pages-of-run"]).ok().stderr;
    let mut pages = BTreeMap::new();
    for part in ["", "data"] {
        for entry in fs::read_dir(folder.join("pages-of-run").join(part)).unwrap().flatten() {
            if entry.path().is_file() {
                let name = format!("{part}/{}", entry.file_name().to_string_lossy());
                pages.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    (pages, said)
}

#[test]
fn pages_show_the_source_as_it_was_measured() {
    let folder = measured();
    let (before, said) = pages(folder.path(), "run.metacov");
    assert!(!said.contains("changed"), "{said}");
    let source = folder.path().join("outcomes.c");
    let text = fs::read_to_string(&source).unwrap();
    fs::write(&source, format!("// one\n// two\n{text}")).unwrap();
    let (after, said) = pages(folder.path(), "run.metacov");
    assert!(after == before);
    assert!(
        said.contains("note: changed since measured: outcomes.c; lines are those of"),
        "{said}"
    );
    fs::remove_file(&source).unwrap();
    let (without, said) = pages(folder.path(), "run.metacov");
    assert!(without == before);
    assert!(!said.contains("no source found"), "{said}");
}

#[test]
fn merged_runs_keep_the_source_and_must_agree_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    report(folder, "a", &[1, 2]);
    report(folder, "b", &[1]);
    let source = folder.join("x.c");
    fs::write(&source, "x\n".repeat(10)).unwrap();
    metacov_in(folder, &["diff", "a", "b", "-o", "1.metacov"]).ok();
    metacov_in(folder, &["diff", "a", "b", "-o", "2.metacov"]).ok();
    fs::write(&source, "y\n".repeat(10)).unwrap();
    metacov_in(folder, &["diff", "a", "b", "-o", "3.metacov"]).ok();
    metacov_in(folder, &["merge", "-o", "both.metacov", "1.metacov", "2.metacov"]).ok();
    let (pages, _) = pages(folder, "both.metacov");
    let text = String::from_utf8_lossy(&pages["data/text-0-0.js"]).into_owned();
    assert!(text.contains("x\\nx\\n") && !text.contains('y'), "{text}");
    let merge = ["merge", "-o", "all.metacov", "both.metacov", "3.metacov"];
    let said = metacov_in(folder, &merge).failed(4);
    insta::assert_snapshot!(said, @"error: 3.metacov: made from another build than both.metacov: x.c (its source has changed) is not the same code");
    assert!(!folder.join("all.metacov").exists());
}

/// One of more than 4 MiB is known by its hash, and left out of the pages if it was edited.
#[test]
fn the_source_of_a_large_file_is_shown_only_if_it_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    report(folder, "a", &[1, 2]);
    report(folder, "b", &[1]);
    let text = "x\n".repeat(10) + &"y".repeat(5 << 20) + "\n";
    fs::write(folder.join("x.c"), &text).unwrap();
    metacov_in(folder, &["diff", "a", "b", "-o", "run.metacov"]).ok();
    let size = fs::metadata(folder.join("run.metacov")).unwrap().len();
    assert!(size < 1 << 20, "{size}");
    let (shown, said) = pages(folder, "run.metacov");
    assert!(String::from_utf8_lossy(&shown["data/text-0-0.js"]).contains("x\\nx\\n"));
    assert!(!said.contains("changed"), "{said}");
    fs::write(folder.join("x.c"), text.replacen('x', "z", 1)).unwrap();
    let (shown, said) = pages(folder, "run.metacov");
    assert!(!String::from_utf8_lossy(&shown["data/text-0-0.js"]).contains("x\\n"));
    assert!(said.contains("x.c; too large to be kept, so the source is not shown"), "{said}");
}
