//! Run files of two processes, two builds, two machines.

#![expect(clippy::print_stderr, reason = "measurements are printed")]

use std::fs;
use std::time::Duration;

use crate::campaign::Campaign;
use crate::processes::now;
use crate::run::{metacov_in, of};
use crate::trial::wait_until;

#[test]
fn fault_24_a_second_writer_of_a_file_is_refused_with_the_name_of_the_first() {
    let campaign = Campaign::new(0, 1);
    let options = ["--duration", "600s", "--no-findings", "-j", "1"];
    let mut first = campaign.start("run.metacov", &options);
    let is_there = || metacov_in(campaign.path(), &["report", "run.metacov"]).code == 0;
    wait_until(is_there);
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let owner = format!("by process {} on {} since 2", first.id(), host.trim());
    for more in [&[][..], &["--resume"]] {
        let start = now();
        let said =
            of(&mut campaign.command("run.metacov", &[&options[..], more].concat())).failed(1);
        let took = start.elapsed();
        eprintln!("fault 24: refused after {took:.2?}");
        assert!(said.contains(&owner) && said.contains(" UTC"), "{said}");
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
    // The lock of a killed process does not block the next one.
    first.kill().unwrap();
    first.wait().unwrap();
    campaign.run("run.metacov", &["--count", "20", "--no-findings", "-j", "1", "--resume"]);
}

#[test]
fn fault_25_a_trial_that_was_run_twice_counts_once() {
    let campaign = Campaign::new(19, 1);
    for (file, seed) in [("one.metacov", "1"), ("two.metacov", "2"), ("again.metacov", "2")] {
        campaign.run(file, &["--count", "40", "--no-findings", "--seed", seed]);
    }
    let merged = |files: &[&str]| {
        let _ = fs::remove_file(campaign.path().join("all.metacov"));
        let words = [&["merge", "-o", "all.metacov"], files].concat();
        metacov_in(campaign.path(), &words).ok();
        campaign.report("all.metacov")
    };
    let right = merged(&["one.metacov", "two.metacov"]);
    assert_eq!(merged(&["two.metacov", "one.metacov", "again.metacov"]), right);
    assert_eq!(merged(&["again.metacov", "two.metacov", "one.metacov", "one.metacov"]), right);
}

#[test]
fn fault_44_a_killed_run_can_be_the_target_of_a_merge() {
    let campaign = Campaign::new(19, 1);
    let options = ["--duration", "600s", "--no-findings", "-j", "1"];
    let mut first = campaign.start("kept-1.metacov", &options);
    let log = campaign.path().join("kept-1.metacov-wal");
    let is_there =
        || metacov_in(campaign.path(), &["report", "kept-1.metacov"]).code != 3 && log.exists();
    wait_until(is_there);
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(log.exists(), "a run that was killed leaves its log");
    campaign.run("other.metacov", &["--count", "20", "--no-findings", "--seed", "2"]);
    let merge = |output: &str| {
        let words = ["merge", "-o", output, "kept-1.metacov", "other.metacov"];
        metacov_in(campaign.path(), &words).ok();
        campaign.report(output)
    };
    let right = merge("kept-2.metacov");
    assert_eq!(merge("kept-1.metacov"), right);
    assert!(!log.exists());
    // It is an ordinary run.
    let words = ["merge", "-o", "kept-3.metacov", "kept-1.metacov"];
    metacov_in(campaign.path(), &words).ok();
    assert_eq!(campaign.report("kept-3.metacov"), right);
}

#[test]
fn fault_26_campaigns_of_different_builds_are_not_merged() {
    let campaign = Campaign::new(0, 1);
    campaign.run("one.metacov", &["--count", "20", "--no-findings"]);
    campaign.build(17, 1);
    campaign.run("two.metacov", &["--count", "20", "--no-findings", "--seed", "2"]);
    let words = ["merge", "-o", "all.metacov", "one.metacov", "two.metacov"];
    let said = metacov_in(campaign.path(), &words).failed(4);
    check_builds(&said, "two.metacov: made from another build than one.metacov: ");
    assert!(!campaign.path().join("all.metacov").exists());
}

#[test]
fn fault_35_a_campaign_is_not_resumed_with_another_build() {
    let campaign = Campaign::new(0, 1);
    campaign.run("run.metacov", &["--count", "20", "--no-findings"]);
    let report = campaign.report("run.metacov");
    let library = campaign.path().join("libfaulty.so");
    let kept = fs::read(&library).unwrap();
    campaign.build(17, 1);
    let go_on = ["--count", "40", "--no-findings", "--resume"];
    let said = of(&mut campaign.command("run.metacov", &go_on)).failed(4);
    check_builds(&said, "run.metacov: made from another build than run.metacov: ");
    assert_eq!(campaign.report("run.metacov"), report);
    fs::write(&library, kept).unwrap();
    campaign.run("run.metacov", &go_on);
}

#[test]
fn fault_49_a_damaged_run_is_found_out_repaired_and_resumed() {
    let campaign = Campaign::new(19, 1);
    let options = ["--count", "80", "--no-findings", "-j", "1"];
    campaign.run("run.metacov", &options);
    let report = campaign.report("run.metacov");
    let metacov = |words: &[&str]| metacov_in(campaign.path(), words);
    let said = metacov(&["check", "run.metacov"]).ok().stderr;
    assert!(said.contains("note: run.metacov is intact: "), "{said}");
    let damage = "UPDATE round SET summary = 'x' WHERE number = 2";
    let file = campaign.path().join("run.metacov");
    rusqlite::Connection::open(file).unwrap().execute_batch(damage).unwrap();
    let said = metacov(&["check", "run.metacov"]).failed(3);
    assert!(said.contains("error: run.metacov: checksum of round 2 does not match"), "{said}");
    let repaired = metacov(&["check", "run.metacov", "--repair", "new.metacov"]).ok().stderr;
    assert!(repaired.contains("2 rounds in new.metacov"), "{repaired}");
    metacov(&["check", "new.metacov"]).ok();
    campaign.run("new.metacov", &[&options[..], &["--resume"]].concat());
    assert_eq!(campaign.report("new.metacov"), report);
    let said = metacov(&["check", "run.metacov", "--repair", "new.metacov"]).failed(1);
    assert!(said.contains("new.metacov: the file exists"), "{said}");
}

/// Both builds are named, and differ.
#[track_caller]
fn check_builds(said: &str, start: &str) {
    let (_, builds) = said.split_once(start).unwrap_or_else(|| panic!("{said}"));
    let (_, builds) = builds.split_once("(build ").unwrap_or_else(|| panic!("{said}"));
    let (there, here) = builds.split_once(" there, ").unwrap_or_else(|| panic!("{said}"));
    assert!(there.len() == 16 && here.len() > 16 && !here.starts_with(there), "{said}");
}
