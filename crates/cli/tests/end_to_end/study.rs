//! `metacov study`: many suites, the paper's questions.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::measure;
use crate::oracle;
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

/// A study of a program and three suites of pairs, which are equal here.
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
fn united_shards_equal_the_whole_in_any_order() {
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
fn a_study_of_a_program_runs_from_any_folder() {
    let folder = folder(PROGRAM);
    let folder = folder.path();
    fs::create_dir(folder.join("elsewhere")).unwrap();
    let run = study(&folder.join("elsewhere"), &["run", "../study.toml"]).ok();
    assert_eq!(run.row(&["parity"])[..4], ["parity", "3", "80.00 %", "33.33 %"]);
    let numbers = read(folder, "elsewhere/study-study/results.csv");
    assert!(numbers.contains(",1,0,parity,line,1,1,15,12,5\n"), "{numbers}");
}

#[test]
fn a_study_is_resumed_and_not_mixed_with_another() {
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
    assert!(said.contains("study-study has another study"), "{said}");
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
fn mistakes_in_a_study_are_reported_with_their_position() {
    let says = |text: &str, code: i32, words: &str| {
        let folder = folder(text);
        let said = study(folder.path(), &["run", "study.toml"]).failed(code);
        assert!(said.contains(words), "{said}");
    };
    says("title = 'x'\nsize = [3]\n", 3, "study.toml: line 2: unknown field `size`");
    says("title = 'x'\n", 3, "study.toml: missing `targets` or `command`");
    says(&SQLITE.replace("\"norec\"", "\"noreck\""), 2, "`noreck` is not a relation");
    says(&SQLITE.replace("[\"sqlite\"]", "[\"mysql\"]"), 2, "`mysql` is not a target");
    says("title = 'x'\ncommand = ['x']\npairs = ['y']\noptions = ['--wrong']\n", 2, "--wrong");
    let folder = folder(SQLITE);
    let said = study(folder.path(), &["run", "study.toml", "--shard", "4/3"]).failed(2);
    assert!(said.contains("`4/3` is not a part"), "{said}");
    let said = study(folder.path(), &["report", "nowhere"]).failed(3);
    assert!(said.contains("nowhere"), "{said}");
}

/// All files below a folder, with their contents.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(
                self::files(&path)
                    .into_iter()
                    .map(|(name, bytes)| (Path::new(path.file_name().unwrap()).join(name), bytes)),
            );
        } else {
            files.insert(path.file_name().unwrap().into(), fs::read(&path).unwrap());
        }
    }
    files
}

#[test]
fn parts_of_a_study_are_merged_in_any_order_and_with_repetition() {
    let folder = folder(PROGRAM);
    let folder = folder.path();
    for part in ["1", "2"] {
        let out = format!("part{part}");
        let shard = format!("{part}/2");
        study(folder, &["run", "study.toml", "--shard", &shard, "--out", &out]).ok();
    }
    let merge = |output: &str, parts: &[&str]| {
        metacov_in(folder, &[&["merge", "-o", output], parts].concat())
    };
    let said = merge("whole", &["part1", "part2"]).ok().stderr;
    assert_eq!(said, "note: 3 suites in whole\n");
    merge("other", &["part2", "part1", "part2"]).ok();
    let whole = files(&folder.join("whole"));
    assert_eq!(whole.len(), 4, "the study, and three suites: {:?}", whole.keys());
    assert_eq!(files(&folder.join("other")), whole);
    merge("other", &["whole", "other", "part1"]).ok();
    assert_eq!(files(&folder.join("other")), whole);
    let again = study(folder, &["run", "study.toml", "--out", "whole"]).ok();
    assert!(!again.stderr.contains("suite program"), "all is there: {}", again.stderr);

    let said = merge("part1", &["part2", "whole"]).failed(2);
    assert!(said.contains("part1 exists and is not among the folders to merge"), "{said}");
    fs::write(folder.join("run.metacov"), "").unwrap();
    let said = merge("x", &["part2", "run.metacov"]).failed(2);
    assert!(said.contains("cannot merge run files with folders of a study"), "{said}");
    let suite = folder.join("part2/suites/program-002.json");
    let text = fs::read_to_string(&suite).unwrap();
    let build = text.lines().find(|line| line.contains("\"build\"")).unwrap();
    fs::write(&suite, text.replace(build, "  \"build\": \"other\",")).unwrap();
    let said = merge("x", &["part1", "part2"]).failed(4);
    let both = "part2: made from another build than part1: the suites of program (build ";
    assert!(said.contains(both) && said.contains(" there, other here)"), "{said}");
    assert!(!folder.join("x").exists());
    fs::write(&suite, text.replace("\"mc_sites\": 5", "\"mc_sites\": 4")).unwrap();
    let said = merge("disputed", &["whole", "part2"]).ok().stderr;
    assert!(said.contains("1 suite with different results in the parts"), "{said}");
}

/// Artificial bugs on the embedded SQLite: nothing is built.
fn corpus(folder: &Path, bugs: usize) {
    let texts = [
        ("CREATE TABLE t(a)", "count(*) FROM t"),
        ("CREATE TABLE t(a UNIQUE)", "a FROM t ORDER BY a DESC"),
        ("CREATE VIEW v AS SELECT 1 AS a", "upper(a) || 'x' FROM v GROUP BY a HAVING a > 0"),
    ];
    let bug = |(at, (setup, query)): (usize, &(&str, &str))| {
        let version = metacov_targets::sqlite::VERSION;
        let fix = if at == 1 { "" } else { r#"{"kind": "modified", "amalgamation": [1, 300000]}"# };
        format!(
            r#"{{"id": "bug{at}", "version": "{version}", "compare": "multiset", "setup": ["{setup}"],
                "a": "SELECT {query}", "b": "SELECT 1", "fix_lines": [{fix}]}}"#
        )
    };
    let bugs: Vec<String> = texts.iter().enumerate().take(bugs).map(bug).collect();
    fs::write(folder.join("bugs.json"), format!("[{}]", bugs.join(","))).unwrap();
}

#[test]
fn known_bugs_are_part_of_a_study() {
    let bugs = "\n[bugs]\ncorpus = 'bugs.json'\nengine = 'sqlite'\n";
    let folder = folder(&(SQLITE.to_owned() + bugs));
    let folder = folder.path();
    corpus(folder, 2);
    let run = |words: &[&str]| {
        study(folder, &[&["run", "study.toml", "--quick", "-j", "1"], words].concat())
    };
    let few = run(&[]).ok();
    assert!(few.stdout.contains("Q1: overlap of MC with bug fixes, 1 bug of bugs.json"));
    assert!(few.stdout.contains("2 bugs are too few for a correlation"), "{}", few.stdout);
    corpus(folder, 3);
    let kept = run(&[]).ok();
    assert!(!kept.stderr.contains("known bugs"), "they are there: {}", kept.stderr);
    let all = run(&["--corpus", "bugs.json"]).ok();
    assert!(all.stdout.contains("bug1 is left out: its fix has no lines"), "{}", all.stdout);
    assert!(all.stdout.contains("In the paper: 18 of 27"), "{}", all.stdout);
    assert_eq!(all.row(&["all", "2 of 2 fixes"])[5], "2 of 2 fixes");
    assert_eq!(all.row(&["MC"])[3], "0.94", "the paper's is beside it");
    let out = folder.join("study-study");
    assert_eq!(read(&out, "bugs.svg").matches("<circle").count(), 2 * 50 * 3);
    assert_eq!(read(&out, "bugs.csv").lines().count(), 1 + 50 * 3);
    assert!(read(&out, "overlap.csv").starts_with("bug,engine,build,relation,strict_executed,"));
    let report = read(&out, "report.md");
    assert!(report.contains("## Q1: coverage and the number of bugs\n\n| measure |"), "{report}");
    assert!(read(&out, "report.html").contains("alt=\"bugs.svg\""));
}

#[test]
fn the_papers_pipeline_finds_the_lines_that_metacov_finds() {
    let folder = folder(&(SQLITE.replace("[3, 6]", "[3]") + "\n[efficiency]\npairs = 1\n"));
    let folder = folder.path();
    let run = |gcovr: &str| study(folder, &["run", "study.toml", "--gcovr", gcovr]).ok();
    let without = run("no-such-gcovr");
    let said = "no-such-gcovr: no such program; Q3 is reported without the paper's pipeline: pip install gcovr";
    assert!(without.stderr.contains(said), "{}", without.stderr);
    assert!(without.stdout.contains("Not measured: gcovr was not there"), "{}", without.stdout);
    let gcovr = oracle::gcovr("8.7");
    let with = run(gcovr.get_program().to_str().unwrap());
    let said = "gcovr 8.7 on each, and a script that compares the reports";
    assert!(with.stdout.contains(said), "{}", with.stdout);
    assert!(with.stdout.contains("Both find the same number of lines"), "{}", with.stdout);
    let cells = with.row(&["MC: gcovr, and the difference", "1"]);
    assert_eq!((cells[5].as_str(), cells[6].as_str()), ("1.00x", "1.00x"));
    let pairs = read(folder, "study-study/efficiency.csv");
    assert!(pairs.lines().nth(1).unwrap().starts_with("norec,0,"), "{pairs}");
    let again = run("no-such-gcovr");
    assert!(!again.stderr.contains("pipeline"), "it is there already: {}", again.stderr);
}

#[test]
fn coverage_is_correlated_with_the_number_of_bugs() {
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
