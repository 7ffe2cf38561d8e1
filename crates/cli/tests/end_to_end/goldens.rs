//! The exact results of seeds: pairs, verdicts, campaigns and findings. A change of the generator
//! changes these; a change of the structure around it must not.
//!
//! Nothing here depends on the compiler. Covers do, so only inputs and verdicts are compared.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::sqlite::{faulty, folder, in_folder};

/// FNV-1a, which is the same on every platform.
#[derive(Debug)]
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&[0]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

/// All files below a folder, by their paths.
fn tree(folder: &Path) -> String {
    fn walk(folder: &Path, root: &Path, digest: &mut Digest) {
        let mut entries: Vec<_> = fs::read_dir(folder).unwrap().flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, root, digest);
            } else {
                digest.add(path.strip_prefix(root).unwrap().to_str().unwrap().as_bytes());
                digest.add(&fs::read(&path).unwrap());
            }
        }
    }
    let mut digest = Digest::new();
    walk(folder, folder, &mut digest);
    digest.text()
}

/// All rows of a query on a run file of the shared folder.
fn rows(file: &str, sql: &str) -> String {
    let connection = Connection::open(folder().join(file)).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    let mut digest = Digest::new();
    let mut count = 0;
    while let Some(row) = rows.next().unwrap() {
        for column in 0..columns {
            let value: rusqlite::types::Value = row.get(column).unwrap();
            digest.add(format!("{value:?}").as_bytes());
        }
        count += 1;
    }
    format!("{count} rows, {}", digest.text())
}

#[test]
fn generated_pairs() {
    let pairs = folder().join("golden-pairs");
    let _ = fs::remove_dir_all(&pairs);
    in_folder(&[
        "gen",
        "sqlite",
        "--count",
        "6",
        "--databases",
        "3",
        "--seed",
        "7",
        "--out",
        "golden-pairs",
    ])
    .ok();
    assert_eq!(tree(&pairs), "36899a87fa27a8e0");
}

#[test]
fn measured_pairs() {
    for (jobs, file) in [("1", "golden-1.metacov"), ("3", "golden-3.metacov")] {
        let _ = fs::remove_file(folder().join(file));
        let args = ["measure", "sqlite", "-q", "--count", "6", "--databases", "3", "--seed", "7"];
        in_folder(&[&args[..], &["-j", jobs, "-o", file]].concat()).ok();
        let pairs = "SELECT relation.name, pair.name, sides, verdict, violation, setup.content
                     FROM pair JOIN relation ON relation.id = relation
                     LEFT JOIN setup ON setup.id = setup ORDER BY place";
        assert_eq!(rows(file, pairs), "42 rows, 2b45304f2c2cdcb8", "-j {jobs}");
        let inputs = "SELECT place, side, number, input.name, content, bytes
                      FROM input JOIN pair ON pair.id = pair ORDER BY place, side, number";
        assert_eq!(rows(file, inputs), "84 rows, 31fb7ebc9b234a78", "-j {jobs}");
    }
}

/// Three rounds of a campaign, without guidance, because guidance depends on the compiler.
#[test]
fn a_campaign_and_its_findings() {
    for (jobs, file) in [("1", "campaign-1.metacov"), ("3", "campaign-3.metacov")] {
        let findings = folder().join(file).with_extension("findings");
        let _ = fs::remove_file(folder().join(file));
        let _ = fs::remove_dir_all(&findings);
        let args = ["fuzz", "-q", "--guidance", "none", "--relation", "norec,tlp-having,optimizer"];
        let small = ["--database-pairs", "60", "--patience", "15", "--count", "180", "-j", jobs];
        let run = in_folder(&[&args[..], &small, &["--library", faulty(), "-o", file]].concat());
        assert_eq!(run.code, 6, "{}", run.stderr);
        let rounds = "SELECT number, summary, lesson FROM round ORDER BY number";
        assert_eq!(rows(file, rounds), "3 rows, acf2db7cfdae2772", "-j {jobs}");
        assert_eq!(cases(&findings), "14 cases, c00027119f7f2526", "-j {jobs}");
    }
}

/// The cases of all findings. Their names depend on the differing functions, and so on the
/// compiler.
fn cases(findings: &Path) -> String {
    const KEPT: [&str; 8] =
        ["relation", "comparison", "how", "database", "pair", "bytes_before", "setup", "failure"];
    let mut cases: Vec<Vec<String>> = Vec::new();
    for finding in fs::read_dir(findings).unwrap().flatten() {
        let text = fs::read_to_string(finding.path().join("finding.toml")).unwrap();
        let is_kept = |line: &&str| {
            let name = line.split(" = ").next().unwrap_or_default();
            KEPT.contains(&name) || name == "a" || name == "b"
        };
        let mut lines: Vec<String> = text.lines().filter(is_kept).map(str::to_owned).collect();
        let script = fs::read_to_string(finding.path().join("reproduce.sql")).unwrap();
        lines.extend(script.lines().filter(|line| !line.starts_with("--")).map(str::to_owned));
        cases.push(lines);
    }
    cases.sort_unstable();
    let mut digest = Digest::new();
    cases.iter().flatten().for_each(|line| digest.add(line.as_bytes()));
    format!("{} cases, {}", cases.len(), digest.text())
}
