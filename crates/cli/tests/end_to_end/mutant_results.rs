//! Mutants on pages, opened in a browser, and in studies.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::oracle::browser;
use crate::run::{self, Run, repository};

fn metacov(folder: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.env("METACOV_CACHE", folder.join("cache")).current_dir(folder);
    run::of(command.args(args))
}

const STUDY: &str = "title = 'Mutants of the calculator'\ntargets = ['calculator']\nsizes = [4]\nsuites = 2\n\
                     [mutants]\nsample = 20\n";

#[test]
fn mutants_of_the_calculator_are_on_pages_and_in_studies() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    metacov(folder, &["target", "build", "calculator"]).ok();
    metacov(folder, &["measure", "calculator", "--count", "8", "-o", "run.metacov"]).ok();
    metacov(folder, &["mutants", "run.metacov", "--json", "matrix.json"]).ok();
    metacov(folder, &["report", "run.metacov", "--html", "pages"]).ok();
    let mut python = browser();
    let script = repository().join("tests/pages/mutants.py");
    run::of(python.current_dir(folder).arg(script).args(["matrix.json", "pages"])).ok();

    fs::write(folder.join("study.toml"), STUDY).unwrap();
    metacov(folder, &["study", "run", "study.toml", "--out", "results"]).ok();
    let report = fs::read_to_string(folder.join("results/report.md")).unwrap();
    for title in
        ["Q2: does the mutation score", "Mutants: which measure", "Mutants: killed on MC lines"]
    {
        assert!(report.contains(&format!("## {title}")), "{title}: {report}");
    }
    // What is there is not run again, and a result without its mutants is completed.
    let suite = folder.join("results/suites/calculator-4-001.json");
    let whole: serde_json::Value = serde_json::from_slice(&fs::read(&suite).unwrap()).unwrap();
    let mut part = whole.clone();
    assert!(part.as_object_mut().unwrap().remove("mutants").is_some());
    fs::write(&suite, part.to_string()).unwrap();
    let said = metacov(folder, &["study", "run", "study.toml", "--out", "results"]).ok().stderr;
    assert!(
        said.contains("suite calculator-4-001") && !said.contains("suite calculator-4-002"),
        "{said}"
    );
    let again: serde_json::Value = serde_json::from_slice(&fs::read(&suite).unwrap()).unwrap();
    assert_eq!(again, whole);
}
