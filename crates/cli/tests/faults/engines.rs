//! Faults of engines in campaigns.

#![expect(clippy::print_stderr, reason = "measurements are printed")]

use std::process::Command;

use crate::campaign::{Campaign, Counts};
use crate::processes::{Watched, descendants, users, watch};
use crate::run::Run;
use crate::times;
use crate::trial::wait_until;

/// Metacov itself never uses more than this.
const MEMORY_KILOBYTES_MAX: u64 = 300 << 10;

/// Runs a campaign on an engine with a fault. It must finish and leave no processes or files.
#[track_caller]
fn check(fault: usize, nth: usize, options: &[&str]) -> (Counts, Watched, Run) {
    let campaign = Campaign::new(fault, nth);
    let mut watched = watch(campaign.start("run.metacov", options));
    let text = |bytes: &mut Vec<u8>| String::from_utf8(std::mem::take(bytes)).unwrap();
    let output = &mut watched.output;
    let code = output.status.code().unwrap();
    let run = Run { code, stdout: text(&mut output.stdout), stderr: text(&mut output.stderr) };
    assert!([0, 6].contains(&run.code), "{}: {}", run.code, run.stderr);
    let library = campaign.path().canonicalize().unwrap().join("libfaulty.so");
    wait_until(|| users(&library) == 0);
    let [_, last] = watched.halves;
    assert!(last.memory_kilobytes < MEMORY_KILOBYTES_MAX, "{last:?}");
    let counts = Counts::of(&run);
    eprintln!("fault {fault}: {counts:?} in {:.1?}; {:?}", watched.took, watched.halves);
    (counts, watched, run)
}

#[test]
fn fault_01_crashes_in_a_row_are_counted_and_leak_nothing() {
    let pairs = times(300, 10_000).to_string();
    let (counts, watched, _) = check(1, 1, &["--no-findings", "--count", &pairs, "-j", "2"]);
    assert_eq!((counts.held, counts.violated), (0, 0));
    assert!(counts.crashed * 10 >= counts.pairs * 9, "{counts:?}");
    check_that_nothing_leaks(&watched);
}

/// With findings enabled: crashes are examined and reduced, for ten minutes if necessary.
#[test]
fn fault_01_occasional_crashes_leak_nothing_in_a_long_campaign() {
    let duration = format!("{}s", times(8, 600));
    let (counts, watched, _) = check(1, 50, &["--duration", &duration, "-j", "1"]);
    assert!(counts.crashed > 0 && counts.held > counts.crashed, "{counts:?}");
    check_that_nothing_leaks(&watched);
}

#[track_caller]
fn check_that_nothing_leaks(watched: &Watched) {
    let [early, late] = watched.halves;
    assert!(late.descriptors <= early.descriptors + 2, "{early:?}, {late:?}");
    assert!(late.processes <= early.processes + 4, "{early:?}, {late:?}");
    assert!(late.memory_kilobytes <= early.memory_kilobytes + (32 << 10), "{early:?}, {late:?}");
}

#[test]
fn fault_02_an_end_without_an_answer_is_never_taken_for_one() {
    let pairs = times(100, 1000).to_string();
    let (counts, ..) = check(2, 1, &["--no-findings", "--count", &pairs, "--timeout", "60"]);
    assert_eq!((counts.held, counts.violated, counts.late), (0, 0, 0));
}

/// The limit is 0.5 s; the delay is measured, but not asserted on a shared machine.
#[track_caller]
fn check_hanging(fault: usize) {
    let options = ["--no-findings", "--count", "60", "--timeout", "0.5", "-j", "1"];
    let (counts, watched, _) = check(fault, 30, &options);
    assert!(counts.late > 0 && counts.held > counts.late && counts.violated == 0, "{counts:?}");
    let each = watched.took.as_secs_f64() / f64::from(u32::try_from(counts.late).unwrap());
    eprintln!("fault {fault}: {:.0} ms for each hang, of which 500 are the limit", each * 1000.0);
}

#[test]
fn fault_03_an_engine_that_sleeps_is_ended() {
    check_hanging(3);
}

#[test]
fn fault_04_an_engine_that_spins_and_ignores_signals_is_ended() {
    check_hanging(4);
}

#[test]
fn fault_05_a_child_that_keeps_the_output_open_delays_nothing() {
    let options = ["--no-findings", "--count", "100", "--timeout", "60"];
    let (counts, ..) = check(5, 20, &options);
    assert_eq!((counts.violated, counts.crashed, counts.late), (0, 0, 0));
}

#[test]
fn fault_06_daemons_of_an_engine_are_gone_after_the_campaign() {
    // One query in two leaves one.
    let pairs = times(100, 1000).to_string();
    let (counts, ..) = check(6, 2, &["--no-findings", "--count", &pairs, "--timeout", "60"]);
    assert_eq!((counts.violated, counts.crashed, counts.late), (0, 0, 0));
}

#[test]
fn fault_08_descriptors_that_an_engine_leaks_make_no_violation() {
    let (counts, ..) = check(8, 10, &["--no-findings", "--count", "100"]);
    assert_eq!((counts.violated, counts.crashed, counts.late), (0, 0, 0));
}

#[test]
fn fault_09_an_engine_that_eats_memory_comes_to_its_limit() {
    let (counts, ..) = check(9, 20, &["--no-findings", "--count", "60", "--memory", "256M"]);
    assert!(counts.crashed > 0 && counts.held > 0 && counts.violated == 0, "{counts:?}");
}

/// A worker that runs tests: itself, and the processes that it has forked.
fn started_worker(metacov: u32) -> Option<Vec<u32>> {
    let all = descendants(metacov).into_iter();
    let ids: Vec<u32> =
        all.filter(|(_, words)| words.ends_with("exe work ")).map(|(id, _)| id).collect();
    (ids.len() > 1).then_some(ids)
}

#[test]
fn fault_10_a_killed_worker_is_replaced() {
    let campaign = Campaign::new(0, 1);
    let child = campaign.start("run.metacov", &["--no-findings", "--duration", "6s", "-j", "1"]);
    let mut killed = Vec::new();
    for _ in 0..3 {
        let find = || {
            std::thread::sleep(std::time::Duration::from_millis(10));
            let worker = *started_worker(child.id())?.first()?;
            Some(worker).filter(|worker| !killed.contains(worker))
        };
        let worker = (0..400).find_map(|_| find()).expect("another worker");
        std::thread::sleep(std::time::Duration::from_millis(200));
        Command::new("kill").args(["-9", &worker.to_string()]).status().unwrap();
        killed.push(worker);
    }
    let output = watch(child).output;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let lost = said.rsplit(" workers lost").nth(1).and_then(|said| said.rsplit(' ').next());
    assert_eq!(lost, Some("3"), "{said}");
    let stdout = String::from_utf8(output.stdout).unwrap();
    let counts = Counts::of(&Run { code: 0, stdout, stderr: said });
    eprintln!("fault 10: {counts:?}");
    assert!(counts.held > 0 && counts.violated == 0, "{counts:?}");
}

#[test]
fn fault_42_a_supervisor_that_is_killed_is_replaced() {
    let campaign = Campaign::new(0, 1);
    let child = campaign.start("run.metacov", &["--no-findings", "--duration", "6s", "-j", "1"]);
    let mut killed = Vec::new();
    for _ in 0..3 {
        let find = || {
            std::thread::sleep(std::time::Duration::from_millis(10));
            let all = descendants(child.id());
            started_worker(child.id())?;
            let mut supervisors =
                all.into_iter().filter(|(_, words)| words.contains("exe supervise "));
            let (id, _) = supervisors.find(|(id, _)| !killed.contains(id))?;
            Some(id)
        };
        let supervisor = (0..400).find_map(|_| find()).expect("another supervisor");
        std::thread::sleep(std::time::Duration::from_millis(200));
        Command::new("kill").args(["-9", &supervisor.to_string()]).status().unwrap();
        killed.push(supervisor);
    }
    let output = watch(child).output;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let library = campaign.path().canonicalize().unwrap().join("libfaulty.so");
    crate::trial::wait_until(|| crate::processes::users(&library) == 0);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let counts = Counts::of(&Run { code: 0, stdout, stderr: said });
    assert!(counts.held > 0 && counts.violated == 0, "{counts:?}");
}

#[test]
fn fault_11_endless_output_fills_no_memory() {
    let options = ["--no-findings", "--count", "60", "--timeout", "60", "-j", "1"];
    let (counts, ..) = check(11, 10, &options);
    assert_eq!((counts.violated, counts.crashed, counts.late), (0, 0, 0));
}

#[test]
fn fault_12_bytes_that_are_not_text_are_replaced() {
    let (counts, _, run) = check(12, 20, &["--no-findings", "--count", "60"]);
    assert!(counts.crashed > 0, "{counts:?}");
    let plain = |text: &str| text.chars().all(|letter| letter == '\n' || !letter.is_control());
    assert!(plain(&run.stdout) && plain(&run.stderr), "{run:?}");
}

#[test]
fn fault_17_an_engine_affects_only_its_process() {
    let options = ["--no-findings", "--count", "100"];
    assert_eq!(check(17, 3, &options).0, check(0, 3, &options).0);
}

#[test]
fn fault_18_unstable_results_are_not_findings() {
    let (counts, _, run) = check(18, 1, &["--count", "40"]);
    assert!(counts.violated > 0, "{counts:?}");
    assert!(run.stderr.contains("note: not confirmed, "), "{}", run.stderr);
}
