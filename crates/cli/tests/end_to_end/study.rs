//! `metacov study`: many suites, the paper's questions.

use std::fs;
use std::path::Path;

use crate::measure;
use crate::run::{Run, metacov_in};

/// A study of SQLite that is small enough for a test.
const SQLITE: &str = r#"
title = "Small"
targets = ["sqlite"]
relations = ["norec", "tlp-where"]
sizes = [3, 6]
suites = 1
pairs_per_database = 3
options = ["--timeout", "300"]
beside = "SQLite"
differs = ["Everything."]
"#;

/// One of a program and three suites of pairs, which are the same here.
const PROGRAM: &str = "title = 'Own'\ncommand = ['./program', '@@']\noptions = ['--timeout', '60']\n\
                       pairs = ['pairs', 'pairs', 'pairs']\n";

fn folder(study: &str) -> tempfile::TempDir {
    let pairs: [(&str, &[(&str, &str)]); 3] = [
        ("parity/1", &[("a.txt", "4"), ("b.txt", "fail")]),
        ("parity/2", &[("a.txt", "4"), ("b.txt", "crash")]),
        ("same/1", &[("a.txt", "4"), ("b.txt", "6")]),
    ];
    let folder = measure::folder(&pairs);
    fs::write(folder.path().join("study.toml"), study).unwrap();
    folder
}

fn study(folder: &Path, words: &[&str]) -> Run {
    metacov_in(folder, &[&["study"], words].concat())
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn shards_together_are_the_whole_in_any_order() {
    let folder = folder(SQLITE);
    let folder = folder.path();
    let whole = study(folder, &["run", "study.toml", "--out", "whole"]).ok();
    let title = "Q2: coverage and MC of relations, sqlite, 1 suite of 6 pairs each";
    assert!(whole.stdout.contains(title), "{}", whole.stdout);
    for part in ["1/2", "2/2"] {
        let out = format!("part{}", &part[..1]);
        let words = ["run", "study.toml", "--shard", part, "--out", &out, "-j", "1"];
        assert_eq!(study(folder, &words).ok().stdout, "", "a part is no result");
    }
    study(folder, &["report", "part2", "part1", "part2", "--out", "together"]).ok();
    for name in ["results.csv", "sqlite-relations.svg", "sqlite-sizes.svg", "sqlite-growth.svg"] {
        let [whole, parts] = ["whole", "together"].map(|of| read(folder, &format!("{of}/{name}")));
        assert_eq!(whole, parts, "{name}");
    }
    let part = study(folder, &["report", "part1"]).ok();
    assert!(part.stderr.contains("1 suite of the study not measured yet"), "{}", part.stderr);
    let report = read(folder, "whole/report.md");
    assert!(report.contains("| norec | 1 |") && report.contains("| 22.68 % | 2.94 % | 12.96 % |"));
    assert!(report.contains("![sqlite-growth.svg](sqlite-growth.svg)"));
    let page = read(folder, "whole/report.html");
    assert!(page.contains(">22.68 %</td>") && page.contains("alt=\"sqlite-growth.svg\""), "{page}");
}

#[test]
fn a_program_of_ones_own_is_studied_from_anywhere() {
    let folder = folder(PROGRAM);
    let folder = folder.path();
    fs::create_dir(folder.join("elsewhere")).unwrap();
    let run = study(&folder.join("elsewhere"), &["run", "../study.toml"]).ok();
    assert_eq!(run.row(&["parity"])[..4], ["parity", "3", "80.00 %", "33.33 %"]);
    let numbers = read(folder, "elsewhere/study-study/results.csv");
    assert!(numbers.contains(",1,0,parity,line,1,1,15,12,5\n"), "{numbers}");
}

#[test]
fn a_study_goes_on_where_it_stopped_and_is_not_mixed_with_another() {
    let folder = folder(PROGRAM);
    let folder = folder.path();
    study(folder, &["run", "study.toml"]).ok();
    let results = read(folder, "study-study/results.csv");
    fs::remove_file(folder.join("study-study/suites/program-002.json")).unwrap();
    let again = study(folder, &["run", "study.toml"]).ok();
    let measured: Vec<&str> = again.stderr.lines().filter(|line| line.contains("suite ")).collect();
    assert_eq!(measured, ["note: 2 of 3: suite program-002"]);
    assert_eq!(read(folder, "study-study/results.csv"), results);
    fs::write(folder.join("study.toml"), PROGRAM.replace("Own", "Other")).unwrap();
    let said = study(folder, &["run", "study.toml"]).failed(2);
    assert!(said.contains("study-study holds another study"), "{said}");
    let suite = "study-study/suites/program-003.json";
    let text = read(folder, suite);
    let build = text.lines().find(|line| line.contains("\"build\"")).unwrap();
    fs::write(folder.join(suite), text.replace(build, "  \"build\": \"other\",")).unwrap();
    let said = study(folder, &["report", "study-study"]).failed(4);
    assert!(said.contains("made from another build"), "{said}");
    fs::write(folder.join(suite), text.replace("\"executed\": 12", "\"executed\": 1")).unwrap();
    let said = study(folder, &["report", "study-study"]).failed(3);
    assert!(said.contains("program-003.json"), "{said}");
}

#[test]
fn mistakes_in_a_study_are_told_with_their_place() {
    let says = |text: &str, code: i32, words: &str| {
        let folder = folder(text);
        let said = study(folder.path(), &["run", "study.toml"]).failed(code);
        assert!(said.contains(words), "{said}");
    };
    says("title = 'x'\nsize = [3]\n", 3, "study.toml: line 2: unknown field `size`");
    says("title = 'x'\n", 3, "study.toml: `targets` or a `command` is needed");
    says(&SQLITE.replace("\"norec\"", "\"noreck\""), 2, "`noreck` is not a relation");
    says(&SQLITE.replace("[\"sqlite\"]", "[\"mysql\"]"), 2, "`mysql` is not an engine");
    says("title = 'x'\ncommand = ['x']\npairs = ['y']\noptions = ['--wrong']\n", 2, "--wrong");
    let folder = folder(SQLITE);
    let said = study(folder.path(), &["run", "study.toml", "--shard", "4/3"]).failed(2);
    assert!(said.contains("`4/3` is not a part"), "{said}");
    let said = study(folder.path(), &["report", "nowhere"]).failed(3);
    assert!(said.contains("nowhere"), "{said}");
}

#[test]
fn coverage_is_held_against_the_number_of_bugs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let bug = |id: u32, setup: &str, query: &str| {
        format!(
            r#"{{"id": "{id}", "version": "3.29.0", "compare": "multiset", "setup": ["{setup}"],
                "a": "SELECT {query}", "b": "SELECT 1"}}"#
        )
    };
    let bugs = [
        bug(1, "CREATE TABLE t(a)", "count(*) FROM t"),
        bug(2, "CREATE TABLE t(a UNIQUE)", "a FROM t ORDER BY a DESC"),
        bug(3, "CREATE VIEW v AS SELECT 1 AS a", "upper(a) || 'x' FROM v GROUP BY a HAVING a > 0"),
    ];
    let corpus = |bugs: &[String]| format!("[{}]", bugs.join(","));
    fs::write(folder.join("bugs.json"), corpus(&bugs)).unwrap();
    fs::write(folder.join("few.json"), corpus(&bugs[..2])).unwrap();
    let words = ["bugs", "bugs.json", "--target", "sqlite", "-j", "1", "-o", "bugs.svg"];
    let run = study(folder, &words).ok();
    assert_eq!(run.row(&["MC"])[3], "0.94", "the paper's is beside it");
    let pearson: f64 = run.row(&["MC"])[1].parse().unwrap();
    assert!((0.5..=1.0).contains(&pearson), "{pearson}");
    assert!(run.stderr.contains("3 bugs on sqlite, 50 sets of each size from 1 to 3"));
    // Two measures, fifty sets of each of three sizes.
    assert_eq!(read(folder, "bugs.svg").matches("<circle").count(), 2 * 50 * 3);
    let said = study(folder, &["bugs", "few.json", "--target", "sqlite", "-j", "1"]).failed(2);
    assert!(said.contains("2 bugs are too few for a correlation"), "{said}");
}
