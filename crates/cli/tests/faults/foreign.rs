//! Files that another person made, to do harm.

use std::fs;

use metacov_core::Fingerprint;
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::campaign::Campaign;
use crate::run::{metacov_in, of};
use crate::trial::metacov_cc;

#[test]
fn fault_47_names_of_findings_do_not_lead_out_of_their_folder() {
    let campaign = Campaign::new(1, 1);
    campaign.run("run.metacov", &["--count", "20", "-j", "1"]);
    let kept = campaign.path().join("kept");
    fs::create_dir(&kept).unwrap();
    add_findings(&campaign.path().join("run.metacov"), "../kept");
    let go_on = ["--count", "80", "-j", "1", "--resume"];
    let said = of(&mut campaign.command("run.metacov", &go_on)).failed(3);
    assert!(said.contains("round 0: `../kept` is not the name of a finding"), "{said}");
    assert!(kept.exists());
}

/// Adds findings to the first round of a campaign: enough and large enough that the folder of this
/// name is removed when one more is found.
fn add_findings(run: &std::path::Path, name: &str) {
    let connection = Connection::open(run).unwrap();
    let select = "SELECT trial, summary, findings, lesson FROM round WHERE number = 0";
    let (trial, summary, findings, lesson): (String, String, String, Vec<u8>) = connection
        .query_row(select, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .unwrap();
    let mut findings: Vec<Value> = serde_json::from_str(&findings).unwrap();
    let mut finding = findings[0].clone();
    finding["name"] = name.into();
    finding["bytes"] = (1_u64 << 40).into();
    for number in 0..5 {
        let mut small = finding.clone();
        small["name"] = format!("{number:016x}-{number:016x}").into();
        small["bytes"] = 0.into();
        findings.push(small);
    }
    findings.push(finding);
    let findings = Value::from(findings).to_string();
    let mut fingerprint = Fingerprint::new();
    fingerprint.text(&trial);
    fingerprint.bytes(&0_u64.to_le_bytes());
    fingerprint.text(&summary);
    fingerprint.text(&findings);
    fingerprint.bytes(&lesson);
    let hash = fingerprint.hash().cast_signed();
    let update = "UPDATE round SET findings = ?1, fingerprint = ?2 WHERE number = 0";
    assert_eq!(connection.execute(update, params![findings, hash]).unwrap(), 1);
}

#[test]
fn fault_48_a_library_that_a_file_names_is_not_loaded() {
    for (fault, make, read) in [
        (1, &["fuzz", "sqlite", "--count", "20"][..], &["replay", "run.findings"][..]),
        (18, &["measure", "sqlite", "--count", "20"], &["locate", "run.metacov"]),
    ] {
        let campaign = Campaign::new(fault, 1);
        let on_library = ["--library", "libfaulty.so"];
        let with = ["-q", "-j", "1", "-o", "run.metacov"];
        let run = metacov_in(campaign.path(), &[make, &on_library, &with].concat());
        assert_eq!(run.code, 6, "{}", run.stderr);
        replace_library(&campaign);
        let said = metacov_in(campaign.path(), read).failed(2);
        assert!(said.contains("metacov loads no code that a file names"), "{said}");
        assert!(said.contains(&format!("metacov {} --library ", read.join(" "))), "{said}");
        assert!(said.trim_end().ends_with("libfaulty.so"), "{said}");
        assert!(!campaign.path().join("loaded").exists(), "{read:?}");
        metacov_in(campaign.path(), &[read, &on_library].concat());
        assert!(campaign.path().join("loaded").exists(), "{read:?}: the user may load it");
    }
}

/// Puts a library in place of the engine that leaves a file when it is loaded.
fn replace_library(campaign: &Campaign) {
    let mark = campaign.path().join("loaded");
    let source = format!(
        "#include <fcntl.h>\n#include <unistd.h>\n\
         __attribute__((constructor)) static void load(void) {{\n\
           close(open(\"{}\", O_CREAT | O_WRONLY, 0600));\n}}\n",
        mark.display()
    );
    fs::write(campaign.path().join("load.c"), source).unwrap();
    let words = ["-DFAULT=0", "-DNTH=1", "-w", "-fPIC", "-shared", "faulty.c", "load.c"];
    let mut cc = metacov_cc();
    of(cc.args(words).args(["-o", "libfaulty.so"]).current_dir(campaign.path())).ok();
}

#[test]
fn fault_48_a_version_that_a_file_names_is_no_path() {
    let folder = tempfile::tempdir().unwrap();
    let finding = folder.path().join("finding");
    fs::create_dir(&finding).unwrap();
    let text = "format = 'metacov-finding'\nversion = 1\nsignature = ''\nshape = []\n\
                target = 'sqlite@3.29.0/../../elsewhere'\nmetacov = ''\nrelation = 'norec'\n\
                comparison = 'bag'\nhow = ''\nseed = 1\ndatabase = 1\npair = 1\n\
                statements_before = 1\nbytes_before = 1\ncandidates = 1\nsetup = []\na = []\n\
                b = []\nfailure = 'violation'\n";
    fs::write(finding.join("finding.toml"), text).unwrap();
    let said = metacov_in(folder.path(), &["replay", "finding"]).failed(2);
    assert!(said.contains("`3.29.0/../../elsewhere` is not a version of sqlite"), "{said}");
}
