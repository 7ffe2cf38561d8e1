//! Damaged files.

use std::fs;
use std::path::Path;

use metacov_core::Failure;
use metacov_store::Run;

use crate::suite::{Ran, Spec, exported, record_with};

pub fn specs() -> Vec<Spec> {
    let group = |name: usize, sides: Vec<Ran>| (format!("r{}", name % 2), name.to_string(), sides);
    let mut specs: Vec<Spec> = (0..30u16)
        .map(|name| {
            let lines = |seed: u16| Ran::Lines(name.wrapping_mul(seed) % (1 << 12), name % 5 == 0);
            group(name.into(), vec![lines(797), lines(311)])
        })
        .collect();
    specs.push(group(30, vec![Ran::Failed(Failure::Crashed), Ran::Lines(1, false)]));
    specs
}

/// The contents of the file, or an error, but never a panic.
fn said(file: &Path) -> Result<Vec<u8>, String> {
    exported(file).map_err(|error| {
        assert!(error.to_string().starts_with(&file.display().to_string()), "{error}");
        error.to_string()
    })
}

/// Any byte may be changed: the file is refused, or its contents are the same as before.
#[test]
fn a_damaged_file_is_refused_or_unchanged_in_content() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.metacov");
    record_with(1, folder.path(), &file, &specs(), usize::MAX).unwrap();
    let whole = fs::read(&file).unwrap();
    let expected = said(&file).unwrap();
    let damaged = folder.path().join("damaged.metacov");
    let mut refused = 0;
    // A step that is coprime to the page size, and another value each time.
    for (round, at) in (0..whole.len()).step_by(71).enumerate() {
        let mut bytes = whole.clone();
        bytes[at] ^= [0x01, 0x80, 0xff, 0x10][round % 4];
        fs::write(&damaged, &bytes).unwrap();
        match said(&damaged) {
            Ok(exported) => assert!(exported == expected, "byte {at} makes another report"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 100, "{refused}");
}

/// An interrupted run has no seal. Whatever such a file contains, reading it is harmless.
#[test]
fn a_damaged_file_of_an_interrupted_run_is_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.metacov");
    record_with(1, folder.path(), &file, &specs(), usize::MAX).unwrap();
    let whole = fs::read(&file).unwrap();
    let seal = whole.windows(4).position(|bytes| bytes == b"seal").unwrap();
    for (round, at) in (0..whole.len()).step_by(101).enumerate() {
        let mut bytes = whole.clone();
        bytes[seal..seal + 4].copy_from_slice(b"none");
        bytes[at] ^= [0x01, 0xff, 0x80, 0x7f, 0x10][round % 5];
        fs::write(&file, &bytes).unwrap();
        let _ = said(&file);
    }
}

/// A writer without a write-ahead log was killed in the middle of a transaction.
#[test]
fn a_file_of_a_killed_writer_is_read_as_before_its_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.metacov");
    record_with(1, folder.path(), &file, &specs(), usize::MAX).unwrap();
    let expected = said(&file).unwrap();
    let writer = rusqlite::Connection::open(&file).unwrap();
    // Changes are written to the file before the end of the transaction.
    writer
        .execute_batch(
            "PRAGMA cache_size = 1; BEGIN; UPDATE pair SET last_words = hex(zeroblob(900))",
        )
        .unwrap();
    let copy = folder.path().join("copy.metacov");
    let journal = |path: &Path| path.with_extension("metacov-journal");
    fs::copy(&file, &copy).unwrap();
    fs::copy(journal(&file), journal(&copy)).unwrap();
    assert!(
        fs::read(&copy).unwrap().windows(1000).any(|bytes| bytes.iter().all(|byte| *byte == b'0'))
    );
    assert!(said(&copy).unwrap() == expected);
}

#[test]
fn a_truncated_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.metacov");
    record_with(1, folder.path(), &file, &specs(), usize::MAX).unwrap();
    let whole = fs::read(&file).unwrap();
    for length in (0..whole.len()).step_by(1000) {
        fs::write(&file, &whole[..length]).unwrap();
        assert!(said(&file).is_err(), "{length}");
    }
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.metacov");
    let open = || Run::open(&file).err().unwrap().fault.to_string();
    assert!(open().contains("no such file"));
    fs::write(&file, "SF:a.c\nDA:1,1\nend_of_record\n".repeat(100)).unwrap();
    assert_eq!(open(), "not a run file of metacov");
    let data = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = data.join("../formats/tests/data/coverage_py/7.17.2/contexts.coverage");
    fs::copy(data, &file).unwrap();
    assert_eq!(open(), "not a run file of metacov: another SQLite database");
    fs::remove_file(&file).unwrap();
    record_with(1, folder.path(), &file, &specs(), usize::MAX).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes[60..64].copy_from_slice(&9u32.to_be_bytes());
    fs::write(&file, bytes).unwrap();
    assert_eq!(open(), "run file version 9 is not known (metacov reads 5 and 6)");
}
