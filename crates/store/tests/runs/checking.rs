//! Verifying run files, and saving what can be saved.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use metacov_run::RunError;
use metacov_store::{Run, RunCheck, RunWriter, StoredRound, check_run, repair_run};
use rusqlite::Connection;

use crate::damage::specs;
use crate::suite::{exported, header, record_with};

/// A folder with a run file, and what is in it.
struct Bench {
    folder: tempfile::TempDir,
    whole: Vec<u8>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let file = folder.path().join("run.metacov");
        record_with(1, folder.path(), &file, &specs(), usize::MAX).unwrap();
        Bench { whole: fs::read(&file).unwrap(), folder }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Runs a statement on a copy of the file, as a person might.
    fn edited(&self, sql: &str) -> std::path::PathBuf {
        let file = self.path("edited.metacov");
        fs::write(&file, &self.whole).unwrap();
        let connection = Connection::open(&file).unwrap();
        connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        connection.execute_batch(sql).unwrap();
        file
    }

    /// Saves a file, which must be possible, and checks what was saved.
    fn saved(&self, file: &Path) -> (u64, Vec<String>) {
        let output = self.path("saved.metacov");
        let _ = fs::remove_file(&output);
        let repaired = repair_run(file, &output).unwrap();
        let check = check_run(&output).unwrap();
        assert_eq!((check.pairs, check.problems), (repaired.pairs, Vec::new()));
        (repaired.pairs, repaired.lost)
    }
}

/// By relation and name: all that is stored of each pair.
fn pairs(file: &Path) -> BTreeMap<(String, String), String> {
    let run = Run::open(file).unwrap();
    let mut pairs = BTreeMap::new();
    for stored in run.pairs().unwrap() {
        let stored = stored.unwrap();
        let sides = stored.outcome.map(|group| {
            let sites = |side: &metacov_core::Reading| -> Vec<Vec<usize>> {
                let covers = [&side.executed, &side.known, &side.flaky];
                covers.map(|cover| cover.iter().map(metacov_core::SiteId::index).collect()).to_vec()
            };
            group.sides().iter().map(sites).collect::<Vec<_>>()
        });
        let text = format!("{} {sides:?} {:?} {:?}", stored.place, stored.inputs, stored.verdict);
        pairs.insert((stored.relation, stored.name), text);
    }
    pairs
}

#[test]
fn a_file_as_it_was_written_is_intact() {
    let bench = Bench::new();
    let check = check_run(&bench.path("run.metacov")).unwrap();
    let intact = RunCheck { pairs: 31, rounds: 0, is_sealed: true, problems: Vec::new() };
    assert_eq!(check, intact);
    let (pairs, lost) = bench.saved(&bench.path("run.metacov"));
    assert_eq!((pairs, lost), (31, Vec::new()));
    assert_eq!(
        exported(&bench.path("saved.metacov")).unwrap(),
        exported(&bench.path("run.metacov")).unwrap()
    );
    // It does not replace anything.
    let error = repair_run(&bench.path("run.metacov"), &bench.path("saved.metacov")).unwrap_err();
    assert!(matches!(error, RunError::Output(of) if of.name.ends_with("saved.metacov")));
}

/// Any byte may be another: what is found intact says what it said before, and what is saved was
/// there.
#[test]
fn damage_is_found_and_what_is_saved_was_there() {
    let bench = Bench::new();
    let file = bench.path("run.metacov");
    let (expected, original) = (exported(&file).unwrap(), pairs(&file));
    let damaged = bench.path("damaged.metacov");
    let output = bench.path("saved.metacov");
    let (mut found, mut saved, mut partly) = (0, 0, 0);
    for (round, at) in (0..bench.whole.len()).step_by(311).enumerate() {
        let mut bytes = bench.whole.clone();
        bytes[at] ^= [0x01, 0x80, 0xff, 0x10][round % 4];
        fs::write(&damaged, &bytes).unwrap();
        let is_intact = check_run(&damaged).is_ok_and(|check| check.problems.is_empty());
        match exported(&damaged) {
            Ok(found) => assert!(found == expected, "byte {at}"),
            Err(error) => assert!(!is_intact, "byte {at}: {error}"),
        }
        found += usize::from(!is_intact);
        let _ = fs::remove_file(&output);
        let Ok(repaired) = repair_run(&damaged, &output) else { continue };
        saved += 1;
        let check = check_run(&output).unwrap();
        assert_eq!((check.pairs, &check.problems[..]), (repaired.pairs, &[][..]), "byte {at}");
        let kept = pairs(&output);
        assert_eq!(kept.len() as u64, repaired.pairs, "byte {at}");
        for (name, pair) in &kept {
            assert_eq!(original.get(name), Some(pair), "byte {at}");
        }
        if kept.len() < original.len() {
            partly += 1;
            assert!(!repaired.lost.is_empty(), "byte {at}");
        }
    }
    assert!(found > 30 && saved > 30 && partly > 5, "{found}, {saved}, {partly}");
}

#[test]
fn a_truncated_file_is_found_out() {
    let bench = Bench::new();
    let file = bench.path("cut.metacov");
    for length in (1..bench.whole.len()).step_by(1000) {
        fs::write(&file, &bench.whole[..length]).unwrap();
        assert!(!check_run(&file).is_ok_and(|check| check.problems.is_empty()), "{length}");
        let output = bench.path("saved.metacov");
        let _ = fs::remove_file(&output);
        if repair_run(&file, &output).is_ok() {
            assert_eq!(check_run(&output).unwrap().problems, Vec::<String>::new(), "{length}");
        } else {
            assert!(!output.exists(), "{length}");
        }
    }
}

#[test]
fn each_kind_of_damage_is_named() {
    let bench = Bench::new();
    let check = |sql: &str| check_run(&bench.edited(sql)).unwrap().problems;
    for (sql, words) in [
        ("UPDATE pair SET differing = 99 WHERE id = 3", "pair r0/2: checksum of pair 2 of r0"),
        ("DELETE FROM pair WHERE id = 3", "in `side` refer to what is not in `pair`"),
        ("DELETE FROM pair WHERE id = 3", "settings or number of pairs: checksum does not match"),
        ("DELETE FROM pair WHERE id = 3", "30 of 31 pairs of a complete run are intact"),
        ("DELETE FROM side WHERE pair = 3 AND side = 0", "pair r0/2: missing side"),
        ("UPDATE site SET line = 999 WHERE id = 2", "sites: checksum does not match"),
        ("UPDATE setup SET content = 'other'", "checksum of a setup does not match"),
        ("UPDATE setting SET value = 'b'", "settings or number of pairs: checksum does not match"),
        ("DELETE FROM meta WHERE key = 'operation'", "`operation` is missing"),
        ("UPDATE base SET executed = x'00'", "checksum of the base does not match"),
    ] {
        let problems = check(sql);
        assert!(problems.iter().any(|known| known.contains(words)), "{sql}: {problems:?}");
    }
}

#[test]
fn what_is_lost_can_be_measured_again() {
    let bench = Bench::new();
    let expected = exported(&bench.path("run.metacov")).unwrap();
    let file = bench.edited("UPDATE pair SET differing = 99 WHERE id % 7 = 3");
    let (pairs, lost) = bench.saved(&file);
    assert_eq!((pairs, lost.len()), (26, 5), "{lost:?}");
    let saved = bench.path("saved.metacov");
    assert!(!Run::open(&saved).unwrap().header.complete);
    record_with(1, bench.folder.path(), &saved, &specs(), usize::MAX).unwrap();
    assert_eq!(exported(&saved).unwrap(), expected);
}

#[test]
fn nothing_is_saved_without_sites() {
    let bench = Bench::new();
    for sql in ["UPDATE site SET line = 999 WHERE id = 2", "DELETE FROM site WHERE id = 2"] {
        let error = repair_run(&bench.edited(sql), &bench.path("saved.metacov")).unwrap_err();
        assert!(error.to_string().contains("nothing can be saved without"), "{error}");
        assert!(matches!(error, RunError::Input(of) if of.name.ends_with("edited.metacov")));
        assert!(!bench.path("saved.metacov").exists());
    }
}

/// A campaign whose writer was killed: the file, and the log beside it. Rounds after one that is
/// lost depend on it.
#[test]
fn a_killed_run_is_intact_and_rounds_are_kept_up_to_the_first_that_is_lost() {
    let bench = Bench::new();
    let writer = RunWriter::open(&bench.path("live.metacov"), &header(&specs()), false).unwrap();
    for number in 0..4 {
        let (trial, lesson) = ("t".to_owned(), vec![1]);
        let (summary, findings) = ("{}".to_owned(), "[]".to_owned());
        writer.close_round(StoredRound { trial, number, summary, findings, lesson }).unwrap();
    }
    let rounds = || Run::open(&bench.path("live.metacov")).and_then(|run| run.rounds());
    while rounds().map_or(0, |rounds| rounds.len()) < 4 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    for ending in ["metacov", "metacov-wal"] {
        let live = bench.path("live").with_extension(ending);
        fs::copy(live, bench.path("killed").with_extension(ending)).unwrap();
    }
    let killed = bench.path("killed.metacov");
    let check = check_run(&killed).unwrap();
    let intact = RunCheck { pairs: 0, rounds: 4, is_sealed: false, problems: Vec::new() };
    assert_eq!(check, intact);
    let sql = "UPDATE round SET summary = 'x' WHERE number = 2";
    Connection::open(&killed).unwrap().execute_batch(sql).unwrap();
    let repaired = repair_run(&killed, &bench.path("saved.metacov")).unwrap();
    assert_eq!(repaired.rounds, 2);
    let lost = ["checksum of round 2 does not match", "round 3: a round before it is lost"];
    assert_eq!(repaired.lost, lost);
    writer.finish(false, None).unwrap();
}
