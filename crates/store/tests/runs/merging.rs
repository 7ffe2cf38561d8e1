//! The laws of merging.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use metacov_core::{Failure, Operation, SiteTable};
use metacov_store::{
    BUILD, Header, Merged, Provenance, Run, RunWriter, Settings, StoredRound, merge,
};
use proptest::prelude::*;

use crate::suite::{Ran, Spec, exported, live, record, shown, specs};

/// Runs to merge, and the results.
struct Bench(tempfile::TempDir);

impl Bench {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name).with_extension("metacov")
    }

    fn record(&self, name: &str, specs: &[Spec]) {
        record(self.0.path(), &self.path(name), specs, specs.len()).unwrap();
    }

    fn merge(&self, runs: &[&str], output: &str) -> Merged {
        let runs: Vec<PathBuf> = runs.iter().map(|name| self.path(name)).collect();
        merge(&runs, &self.path(output)).unwrap()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }
}

fn bench() -> Bench {
    Bench(tempfile::tempdir().unwrap())
}

/// A run of a campaign: its trial, and which of eight rounds it contains (one bit each).
fn campaign(bench: &Bench, name: &str, trial: u8, rounds: u8) {
    let header = header();
    let recorder = RunWriter::open(&bench.path(name), &header, false).unwrap();
    for number in (0..8).filter(|number| rounds >> number & 1 == 1) {
        recorder.close_round(round(trial, number)).unwrap();
    }
    recorder.finish(true, Some(&SiteTable::new())).unwrap();
}

fn round(trial: u8, number: u64) -> StoredRound {
    StoredRound {
        trial: format!("trial{trial}"),
        number,
        summary: format!("{{\"pairs\": {number}}}"),
        findings: format!("[{trial}]"),
        lesson: vec![trial, 7],
    }
}

fn header() -> Header {
    Header {
        made_by: "fuzz".to_owned(),
        command: "metacov fuzz".to_owned(),
        operation: Operation::Xor,
        per_instance: false,
        root: PathBuf::from("/"),
        planned: None,
        complete: false,
        by_relation: true,
        settings: Settings::from([(BUILD.to_owned(), "one build".to_owned())]),
        provenance: Provenance::default(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// A trial that was lost and repeated, completely or in part: each round is stored once, for
    /// any order, repetition and number of steps.
    #[test]
    fn campaigns_are_merged_in_any_order_and_with_repetition(
        runs in prop::collection::vec((0..3u8, 1..=255u8), 1..5),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let bench = bench();
        let names: Vec<String> = (0..runs.len()).map(|at| format!("run{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for (name, (trial, rounds)) in names.iter().zip(&runs) {
            campaign(&bench, name, *trial, *rounds);
        }
        let merged = bench.merge(&names, "all");
        let mut expected: Vec<StoredRound> = Vec::new();
        for (trial, rounds) in &runs {
            let there = (0..8).filter(|number| rounds >> number & 1 == 1);
            expected.extend(there.map(|number| round(*trial, number)));
        }
        expected.sort();
        expected.dedup();
        prop_assert_eq!(&Run::open(&bench.path("all")).unwrap().rounds().unwrap(), &expected);
        let of = |trial: u8| runs.iter().filter(|run| run.0 == trial).count();
        let repeated = (0..3).filter(|trial| of(*trial) > 1).count() as u64;
        let rounds = expected.len() as u64;
        prop_assert_eq!(merged, Merged { groups: 0, disputed: 0, rounds, repeated });

        // All of them in reverse, then some again, in two steps.
        let mut words: Vec<&str> = names.iter().rev().copied().collect();
        words.extend(order.iter().map(|at| names[at.index(names.len())]));
        let (first, second) = words.split_at(cut.index(words.len()) + 1);
        bench.merge(first, "some");
        bench.merge(&[&["some"], second, &["some"]].concat(), "again");
        prop_assert!(bench.bytes("again") == bench.bytes("all"));
    }

    /// The parts may overlap and differ: then the same bytes win every time.
    #[test]
    fn merging_is_commutative_associative_and_idempotent(
        specs in specs(),
        parts in prop::collection::vec(1..8u8, 13),
        other in prop::collection::vec(crate::suite::ran(), 2..4),
    ) {
        let bench = bench();
        for (at, name) in ["a", "b", "c"].iter().enumerate() {
            let chosen = specs.iter().zip(&parts).filter(|(_, parts)| **parts >> at & 1 == 1);
            let mut part: Vec<Spec> = chosen.map(|(spec, _)| spec.clone()).collect();
            if at == 2 && let Some(disputed) = part.first_mut() {
                disputed.2.iter_mut().zip(&other).for_each(|(side, other)| *side = *other);
            }
            bench.record(name, &part);
        }
        bench.merge(&["a", "b"], "ab");
        bench.merge(&["b", "a"], "ba");
        prop_assert!(bench.bytes("ab") == bench.bytes("ba"));
        bench.merge(&["ab", "c"], "ab-c");
        bench.merge(&["b", "c"], "bc");
        bench.merge(&["a", "bc"], "a-bc");
        prop_assert!(bench.bytes("ab-c") == bench.bytes("a-bc"));
        bench.merge(&["a-bc", "a-bc", "b"], "again");
        prop_assert!(bench.bytes("again") == bench.bytes("a-bc"));
    }

    #[test]
    fn merged_parts_equal_the_whole(specs in specs(), parts in prop::collection::vec(1..4u8, 13)) {
        let bench = bench();
        for (at, name) in ["a", "b"].iter().enumerate() {
            let chosen = specs.iter().zip(&parts).filter(|(_, parts)| **parts >> at & 1 == 1);
            bench.record(name, &chosen.map(|(spec, _)| spec.clone()).collect::<Vec<_>>());
        }
        let merged = bench.merge(&["a", "b"], "all");
        prop_assert_eq!(merged, Merged { groups: specs.len() as u64, disputed: 0, rounds: 0, repeated: 0 });
        let whole = live(bench.0.path(), &specs);
        prop_assert_eq!(exported(&bench.path("all")).unwrap(), shown(&whole));
    }
}

fn group(name: &str, sides: [Ran; 2]) -> Spec {
    ("swap".to_owned(), name.to_owned(), sides.to_vec())
}

#[test]
fn measured_pairs_take_precedence_over_failed_ones() {
    let bench = bench();
    let sides = [Ran::Lines(1, false), Ran::Lines(2, false)];
    bench.record(
        "failed",
        &[group("1", [sides[0], Ran::Failed(Failure::TimedOut)]), group("2", sides)],
    );
    bench.record("measured", &[group("1", sides)]);
    for runs in [["failed", "measured"], ["measured", "failed"]] {
        assert_eq!(
            bench.merge(&runs, &runs.concat()),
            Merged { groups: 2, disputed: 1, rounds: 0, repeated: 0 }
        );
        let (suite, _) = Run::open(&bench.path(&runs.concat())).unwrap().suite().unwrap();
        assert_eq!(suite.total().groups, 2);
    }
}

#[test]
fn other_builds_and_other_files_are_refused() {
    let bench = bench();
    let sides = [Ran::Lines(1, false), Ran::Lines(2, false)];
    bench.record("one", &[group("1", sides)]);
    bench.record("two", &[group("2", sides)]);
    // The same function, two lines further down.
    for entry in fs::read_dir(bench.0.path()).unwrap().flatten() {
        if entry.path().extension().is_some_and(|ending| ending == "info") {
            let text = fs::read_to_string(entry.path()).unwrap();
            let moved = text.replace("FN:1,", "FN:3,").replace("DA:1,", "DA:20,");
            fs::write(entry.path(), moved).unwrap();
        }
    }
    bench.record("moved", &[group("3", sides)]);
    let merge = |runs: &[&str], output: &Path| {
        let runs: Vec<PathBuf> = runs.iter().map(|name| bench.path(name)).collect();
        merge(&runs, output).unwrap_err().to_string()
    };
    let said = merge(&["one", "moved"], &bench.path("out"));
    assert!(said.contains("moved.metacov: made from another build than"), "{said}");
    let said = merge(&["one"], &bench.path("two"));
    assert!(said.contains("two.metacov: the file exists"), "{said}");
    let said = merge(&["one", "nowhere"], &bench.path("out"));
    assert!(said.contains("nowhere.metacov: no such file"), "{said}");
    assert!(!bench.path("out").exists());
    bench.merge(&["one", "two"], "two");
    assert_eq!(Run::open(&bench.path("two")).unwrap().groups().unwrap(), 2);
}

/// A campaign whose writer was killed: the file, and the log beside it.
fn killed(bench: &Bench, name: &str, rounds: u64) {
    let recorder = RunWriter::open(&bench.path("writing"), &header(), false).unwrap();
    for number in 0..rounds {
        recorder.close_round(round(1, number)).unwrap();
    }
    let log = |name: &str| bench.path(name).with_extension("metacov-wal");
    let is_whole = || {
        fs::copy(bench.path("writing"), bench.path(name)).unwrap();
        fs::copy(log("writing"), log(name)).unwrap();
        Run::open(&bench.path(name))
            .and_then(|run| run.rounds())
            .is_ok_and(|there| there.len() as u64 == rounds)
    };
    let waited = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        is_whole()
    });
    assert!(waited && log(name).exists(), "all is written, some of it in the log only");
    recorder.finish(true, Some(&SiteTable::new())).unwrap();
    fs::remove_file(bench.path("writing")).unwrap();
}

#[test]
fn a_killed_run_can_be_the_target_of_a_merge() {
    let bench = bench();
    killed(&bench, "killed", 8);
    campaign(&bench, "other", 2, 3);
    let merged = bench.merge(&["killed", "other"], "killed");
    assert_eq!(merged.rounds, 10);
    assert!(!bench.path("killed").with_extension("metacov-wal").exists());
    let run = Run::open(&bench.path("killed")).unwrap();
    assert_eq!(run.rounds().unwrap().len(), 10);
    drop(run);
    // The log of a removed file is not that of the new one.
    killed(&bench, "gone", 8);
    fs::remove_file(bench.path("gone")).unwrap();
    bench.merge(&["other"], "gone");
    assert_eq!(Run::open(&bench.path("gone")).unwrap().rounds().unwrap().len(), 2);
}

/// The `fcntl` locks of this process on a file, which SQLite uses.
fn locks(path: &Path) -> usize {
    let (own, inode) = (std::process::id().to_string(), fs::metadata(path).unwrap().ino());
    let locks = fs::read_to_string("/proc/locks").unwrap();
    let is_own = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words[1] == "POSIX" && words.contains(&own.as_str()) && line.contains(&format!(":{inode} "))
    };
    locks.lines().filter(is_own).count()
}

#[test]
fn a_run_that_is_opened_twice_keeps_its_locks() {
    let bench = bench();
    campaign(&bench, "run", 1, 255);
    let first = Run::open(&bench.path("run")).unwrap();
    let held = locks(&bench.path("run"));
    assert!(held > 0, "SQLite locks what it reads");
    drop(Run::open(&bench.path("run")).unwrap());
    assert_eq!(locks(&bench.path("run")), held);
    drop(first);
}

/// Otherwise a process that resumes the run would remove the log that the merge reads.
#[test]
fn the_target_of_a_merge_stays_locked() {
    let bench = bench();
    let sides = [Ran::Lines(1, false), Ran::Lines(2, false)];
    let groups: Vec<Spec> = (0..300).map(|at| group(&at.to_string(), sides)).collect();
    bench.record("run", &groups);
    let path = bench.path("run");
    let is_merging = || {
        let mut names = fs::read_dir(bench.0.path()).unwrap().flatten();
        names.any(|entry| entry.file_name().to_string_lossy().starts_with(".metacov-"))
    };
    // Kept open: closing them would drop the locks of the merge itself, which runs in this process.
    let mut files = Vec::new();
    let mut seen = 0;
    while seen == 0 {
        let file = fs::File::open(&path).unwrap();
        std::thread::scope(|scope| {
            let merge = scope.spawn(|| bench.merge(&["run"], "run"));
            while !merge.is_finished() {
                let was_merging = is_merging();
                let is_free = file.try_lock_shared().is_ok();
                file.unlock().unwrap();
                if was_merging && is_merging() {
                    assert!(!is_free, "a run that is being merged into");
                    seen += 1;
                }
            }
        });
        files.push(file);
    }
}
