//! The calculator: a target in one folder with a method in one folder, on which all commands work.
//! `docs/adding-a-target.md` walks through it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::{self, Run};

/// A campaign on the calculator with enough pairs to find its bug.
const FUZZ: &[&str] = &["fuzz", "calculator@1.0", "--count", "1500", "--database-pairs", "300"];

/// A study of two suites of each size.
const SUITES: &str = "title = 'Calculator'\ntargets = ['calculator']\nsizes = [5, 10]\n\
                      suites = 2\npairs_per_database = 5\n";

/// A study of campaigns.
const CAMPAIGNS: &str = "kind = 'campaign'\ntitle = 'Calculator'\nengines = ['calculator@1.0']\n\
                         guidances = ['mcg', 'none']\nrepetitions = 1\npairs = 600\n\
                         database_pairs = 200\n";

fn metacov(folder: &Path, args: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metacov"));
    command.env("METACOV_CACHE", folder.join("cache")).current_dir(folder);
    run::of(command.args(args))
}

#[test]
fn all_commands_work_on_a_target_of_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let said = metacov(folder, &["measure", "calculator"]).failed(2);
    assert!(said.contains("metacov target build calculator"), "{said}");
    for version in ["calculator", "calculator@1.0"] {
        metacov(folder, &["target", "build", version]).ok();
    }
    let list = metacov(folder, &["target", "list"]).ok().stdout;
    assert!(list.contains("calculator@1.1   built (also: calculator)"), "{list}");

    // The correct version holds, and the result does not depend on the number of workers.
    let measure = |engine, jobs, file| {
        metacov(folder, &["measure", engine, "--count", "120", "-j", jobs, "-o", file])
    };
    let one = measure("calculator", "1", "one.metacov").ok();
    assert_eq!(measure("calculator", "2", "two.metacov").ok().stdout, one.stdout);
    let row = one.row(&["optimiser", "120", "line"]);
    assert_ne!(row[5], "0", "the optimiser is a difference: {row:?}");
    metacov(folder, &["report", "one.metacov", "--html", "pages"]).ok();
    let page = |name: &str| fs::read_to_string(folder.join("pages").join(name)).unwrap();
    assert!(page("index.html").contains("optimiser"));
    assert!(page("data/text-0-0.js").contains("static Expr *simplify"), "pages show the source");

    // The other has a bug, which is found, reduced, replayed and located.
    let run = metacov(folder, FUZZ);
    assert_eq!(run.code, 6, "{}", run.stderr);
    let bug = run.row(&["violation: *, -"]);
    assert!(bug[1].contains("optimiser"), "{bug:?}");
    let finding = fs::read_dir(folder.join("campaign.findings")).unwrap().next().unwrap().unwrap();
    let script = fs::read_to_string(finding.path().join("reproduce.calc")).unwrap();
    assert!(script.contains("# side b\n"), "{script}");
    assert_eq!(metacov(folder, &["replay", "campaign.findings"]).code, 6);
    metacov(folder, &["replay", "campaign.findings", "--target", "calculator"]).ok();
    let bisected = metacov(folder, &["replay", "campaign.findings", "--bisect"]).ok();
    assert!(bisected.stdout.contains("calculator@1.1"), "{}", bisected.stdout);

    // A campaign, its findings and one of them are located: each bug has its own ranking.
    let name = finding.file_name().into_string().unwrap();
    for subject in ["campaign.metacov", "campaign.findings", &format!("campaign.findings/{name}")] {
        let located = metacov(folder, &["locate", subject, "-o", "-"]).ok().stdout;
        let located: serde_json::Value = serde_json::from_str(&located).unwrap();
        let bugs = located["bugs"].as_array().unwrap();
        assert_eq!(bugs.len(), 1, "{located}");
        assert!(bugs[0]["bug"].as_str().unwrap().starts_with("violation: *, "), "{located}");
        let functions = bugs[0]["functions"].as_array().unwrap();
        let is_at_fault = |suspect: &serde_json::Value| suspect["function"] == "is_one";
        assert!(functions.iter().take(5).any(is_at_fault), "{located}");
        let pairs = bugs[0]["pairs"].as_array().unwrap();
        assert_eq!(pairs.len(), if subject.ends_with(&name) { 1 } else { 3 }, "{located}");
    }

    assert_eq!(measure("calculator@1.0", "2", "wrong.metacov").code, 6);
    let located = metacov(folder, &["locate", "wrong.metacov"]).ok();
    let functions: Vec<&str> = located.stdout.lines().skip(1).take(5).collect();
    assert!(functions.iter().any(|line| line.contains("is_one")), "{functions:?}");
}

#[test]
fn studies_work_on_a_target_of_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("suites.toml"), SUITES).unwrap();
    fs::write(folder.join("campaigns.toml"), CAMPAIGNS).unwrap();
    metacov(folder, &["study", "run", "suites.toml", "--out", "suites"]).ok();
    let results = fs::read_to_string(folder.join("suites/results.csv")).unwrap();
    assert!(results.contains("distribute") && results.contains("calculator"), "{results}");
    let run = metacov(folder, &["study", "run", "campaigns.toml", "--out", "campaigns"]).ok();
    assert!(run.stdout.contains("mcg") && run.stdout.contains("none"), "{}", run.stdout);
}
