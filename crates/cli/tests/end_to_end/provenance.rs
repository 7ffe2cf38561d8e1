//! Where numbers come from: in the run file and in reports.

use std::fs;
use std::process::Command;

use crate::measure::folder;
use crate::run::{metacov_in, of};

#[test]
fn reports_say_where_their_numbers_come_from() {
    let folder = folder(&[("parity/1", &[("a.txt", "4"), ("b.txt", "7")])]);
    let folder = folder.path();
    let measure = |more: &[&str]| {
        let args = ["measure", "--pairs", "pairs"];
        metacov_in(folder, &[&args[..], more, &["--", "./program", "@@"]].concat()).ok()
    };
    measure(&["-o", "run.metacov"]);
    let report = |format: &str| {
        metacov_in(folder, &["report", "run.metacov", "-o", "-", "--format", format]).ok().stdout
    };
    let markdown = report("markdown");
    let block = markdown.split("<details><summary>Provenance</summary>").nth(1).unwrap();
    for words in
        ["| measured code | program ", "| compiler | GCC: ", "| machine | Linux ", "| metacov | "]
    {
        assert!(block.contains(words), "{words}: {block}");
    }
    let json: serde_json::Value = serde_json::from_str(&report("json")).unwrap();
    let provenance = json["provenance"].as_object().unwrap();
    assert!(
        provenance["measured_code"].as_str().unwrap().starts_with("program "),
        "{provenance:?}"
    );
    assert_eq!(provenance["metacov"], env!("CARGO_PKG_VERSION"));
    // The run itself reports the same.
    assert_eq!(measure(&["-o", "-", "--format", "json"]).stdout, report("json"));
    metacov_in(folder, &["report", "run.metacov", "--html", "pages-of-run"]).ok();
    let page = fs::read_to_string(folder.join("pages-of-run/index.html")).unwrap();
    for words in [
        "<dt>measured code</dt>",
        "<dt>compiler</dt><dd>GCC: ",
        "<dt>machine</dt>",
        "<dt>begun</dt>",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // The time is in the run file and on the pages only: other reports of the same measurements are equal.
    let script = "import sqlite3; print(sqlite3.connect('run.metacov').execute(\
                  \"SELECT value FROM meta WHERE key = 'begun'\").fetchone()[0])";
    let begun = of(Command::new("python3").args(["-c", script]).current_dir(folder)).ok().stdout;
    let begun = begun.trim();
    assert!(page.contains(begun), "{begun}");
    assert!(!markdown.contains(begun) && !report("json").contains(begun));
}

/// The seed of generated pairs is part of it.
#[test]
fn generated_pairs_have_a_seed() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--seed", "7", "--count", "2", "--databases", "1", "--relation", "norec"];
    let args = [&["measure", "sqlite"][..], &options, &["-o", "-", "--format", "json"]].concat();
    let run = metacov_in(folder.path(), &args);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(json["provenance"]["seed"], "7", "{}", run.stderr);
}
