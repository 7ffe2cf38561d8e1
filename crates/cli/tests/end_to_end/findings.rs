//! Replays findings.

use std::fs;

use crate::faults::build_version;
use crate::sqlite::{folder, in_folder};

/// A bug of SQLite 3.29.0 that version 3.30.0 has fixed: a LEFT JOIN that is treated as a JOIN.
const FINDING: &str = r#"
format = "metacov-finding"
version = 1
signature = "0123456789abcdef-fedcba9876543210"
shape = ["LEFT", "truth test", "violation"]
target = "sqlite@3.29.0"
metacov = "0.1.0"
relation = "norec"
comparison = "number"
how = "a returns 0, b returns 1"
failure = "violation"
seed = 1
database = 2
pair = 3
statements_before = 40
bytes_before = 4000
candidates = 500
setup = ["CREATE TABLE t0(c0)", "INSERT INTO t0 VALUES (0)", "CREATE TABLE t1(c1)"]
a = ["SELECT COUNT(*) FROM t0 LEFT JOIN t1 WHERE (t1.c1 IS NOT TRUE)"]
b = ["SELECT SUM(count) FROM (SELECT ((t1.c1 IS NOT TRUE) IS TRUE) AS count FROM t0 LEFT JOIN t1)"]
"#;

#[test]
fn a_finding_is_replayed_and_the_fixed_version_is_named() {
    build_version("3.29.0");
    let finding = folder().join("found/by-hand");
    fs::create_dir_all(&finding).unwrap();
    fs::write(finding.join("finding.toml"), FINDING).unwrap();

    let run = in_folder(&["replay", "found/by-hand"]);
    assert_eq!(run.code, 6, "{}", run.stderr);
    let row = run.row(&["by-hand", "norec", "sqlite@3.29.0"]);
    assert_eq!(row[3], "fails: the sides disagree: a returns 0, b returns 1");

    let run = in_folder(&["replay", "found", "--target", "sqlite"]).ok();
    assert_eq!(run.row(&["by-hand", "norec", "sqlite"])[3], "does not fail");

    // Other tests may have built more versions meanwhile; the bug ends with 3.30.
    let run = in_folder(&["replay", "found", "--bisect"]).ok();
    let row = run.row(&["by-hand", "norec", "sqlite@3.29.0"]);
    assert!(row[3].starts_with("sqlite@3.") && row[3] != "sqlite@3.29.0", "{row:?}");
}

/// Versions before 3.30 do not accept a seed. After the largest row id, SQLite chooses ids at
/// random.
#[test]
fn random_choices_of_an_old_version_are_repeatable() {
    build_version("3.29.0");
    let finding = folder().join("at-random");
    fs::create_dir_all(&finding).unwrap();
    let (start, _) = FINDING.split_once("setup = [").unwrap();
    let case = r#"
        setup = ["CREATE TABLE t0(c0)", "INSERT INTO t0(rowid) VALUES (9223372036854775807)", "INSERT INTO t0 VALUES (1)"]
        a = ["SELECT 'x'"]
        b = ["SELECT rowid FROM t0 WHERE c0"]
    "#;
    let text = start.replace("\"number\"", "\"bag\"") + case;
    fs::write(finding.join("finding.toml"), text).unwrap();
    let replayed = || in_folder(&["replay", "at-random"]).row(&["at-random"])[3].clone();
    let first = replayed();
    assert!(first.contains("a returns ('x'), b returns ("), "{first}");
    assert_eq!(replayed(), first);
}

/// Statements that write files do not write them where metacov is run.
#[test]
fn files_of_statements_are_created_in_a_temporary_folder() {
    let finding = folder().join("makes-a-file");
    fs::create_dir_all(&finding).unwrap();
    let attach =
        "setup = [\"ATTACH 'made-by-a-statement' AS other\", \"CREATE TABLE other.t(c)\", ";
    let text = FINDING.replace("setup = [", attach).replace("@3.29.0", "");
    fs::write(finding.join("finding.toml"), text).unwrap();
    let run = in_folder(&["replay", "makes-a-file"]).ok();
    assert_eq!(run.row(&["makes-a-file", "norec", "sqlite"])[3], "does not fail");
    assert!(!folder().join("made-by-a-statement").exists());
}

#[test]
fn folders_without_a_finding_are_refused() {
    let empty = folder().join("no-findings");
    fs::create_dir_all(&empty).unwrap();
    let said = in_folder(&["replay", "no-findings"]).failed(2);
    assert!(said.contains("no-findings has no finding in it"), "{said}");
    let said = in_folder(&["replay", "nowhere"]).failed(3);
    assert!(said.contains("nowhere"), "{said}");
    let broken = folder().join("broken-finding");
    fs::create_dir_all(&broken).unwrap();
    for text in [
        FINDING.replace("version = 1", "version = 9"),
        FINDING.replace("\"number\"", "\"nonsense\""),
        FINDING.replace("pair = 3", "pair = 'three'"),
    ] {
        fs::write(broken.join("finding.toml"), text).unwrap();
        let said = in_folder(&["replay", "broken-finding"]).failed(3);
        assert!(said.contains("broken-finding/finding.toml"), "{said}");
    }
}

/// The long form: real violations, `METACOV_FUZZ=60s cargo test -p metacov old_version -- --ignored`
#[test]
#[ignore = "runs for as long as METACOV_FUZZ says"]
fn findings_in_an_old_version_are_small_and_reproducible() {
    build_version("3.29.0");
    let duration = std::env::var("METACOV_FUZZ").unwrap_or_else(|_| "60s".to_owned());
    let _ = fs::remove_dir_all(folder().join("hunt.findings"));
    let _ = fs::remove_file(folder().join("hunt.metacov"));
    let run = in_folder(&["fuzz", "sqlite@3.29.0", "--duration", &duration, "-o", "hunt.metacov"]);
    assert!([0, 6].contains(&run.code), "{}", run.stderr);
    let replayed = in_folder(&["replay", "hunt.findings"]);
    assert_eq!(replayed.code, 6, "{}", replayed.stderr);
    let lines = || replayed.stdout.lines().skip(1);
    assert!(lines().count() > 0 && lines().all(|line| line.contains("fails: ")), "{replayed:?}");
    for entry in fs::read_dir(folder().join("hunt.findings")).unwrap() {
        let script = fs::read_to_string(entry.unwrap().path().join("reproduce.sql")).unwrap();
        assert!(script.lines().count() < 30, "{script}");
    }
}
