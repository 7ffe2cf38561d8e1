//! Runs are recorded completely, in steps, and by one writer at a time.

use std::fs;

use metacov_core::Operation;
use metacov_formats::Fault;
use metacov_store::{Header, Run, RunWriter, Settings};
use proptest::prelude::*;

use crate::suite::{Ran, Spec, exported, header, live, record, shown, specs};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// However often a run is interrupted and resumed, its file equals the result of the run
    /// itself.
    #[test]
    fn a_recorded_run_equals_the_folded_one(specs in specs(), steps in prop::collection::vec(0..12usize, 0..3)) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.metacov");
        for until in steps {
            record(folder.path(), &file, &specs, until.min(specs.len() - 1)).unwrap();
            prop_assert!(!Run::open(&file).unwrap().header.complete);
        }
        record(folder.path(), &file, &specs, specs.len()).unwrap();
        prop_assert_eq!(exported(&file).unwrap(), shown(&live(folder.path(), &specs)));
        prop_assert!(Run::open(&file).unwrap().header.complete);
        let files = fs::read_dir(folder.path()).unwrap().flatten();
        let beside = files.filter(|file| file.file_name().to_string_lossy().contains("metacov"));
        prop_assert_eq!(beside.count(), 1, "no side files are left");
    }
}

fn two() -> Vec<Spec> {
    let sides = vec![Ran::Lines(3, false), Ran::Lines(5, false)];
    ["1", "2"].map(|name| ("swap".to_owned(), name.to_owned(), sides.clone())).to_vec()
}

#[test]
fn a_run_is_resumed_only_with_the_same_options() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.metacov");
    record(folder.path(), &file, &two(), 1).unwrap();
    let refusal = |header: Header| {
        let error = RunWriter::open(&file, &header, true).err().unwrap();
        assert!(!matches!(error.fault, Fault::Io(_)));
        error.fault.to_string()
    };
    let begun = header(&two());
    let said = refusal(Header { operation: Operation::Sub, ..begun.clone() });
    assert!(said.starts_with("the run was begun with the operation xor, not sub;"), "{said}");
    let said = refusal(Header { per_instance: true, ..begun.clone() });
    assert!(said.starts_with("the run was begun with an identity by line, not instance"), "{said}");
    let said = refusal(Header { planned: Some(7), ..begun.clone() });
    assert!(said.starts_with("the run was begun with a number of pairs of 2, not 7;"), "{said}");
    let said = refusal(Header { settings: Settings::new(), ..begun });
    assert!(said.starts_with("the run was begun with --filter a, not (none);"), "{said}");

    let mut other = two();
    other[0].1 = "one".to_owned();
    let said = record(folder.path(), &file, &other, 2).unwrap_err().to_string();
    assert!(said.contains("begun with pair 1 of swap in the place of pair one of swap"), "{said}");
    record(folder.path(), &file, &two(), 2).unwrap();
    // An attempt does not harm a run, not even a complete one.
    record(folder.path(), &file, &other, 2).unwrap_err();
    assert!(Run::open(&file).unwrap().header.complete);
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.metacov");
    record(folder.path(), &file, &two(), 2).unwrap();
    let before = fs::read(&file).unwrap();
    let error = RunWriter::open(&file, &header(&two()), false).err().unwrap();
    assert!(matches!(error.fault, Fault::Io(_)), "{error}");
    assert!(error.to_string().contains("it exists"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), before);
}

/// One writer at a time; any number of readers meanwhile.
#[test]
fn a_run_that_is_being_written_is_refused_and_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.metacov");
    record(folder.path(), &file, &two(), 1).unwrap();
    let writing = RunWriter::open(&file, &header(&two()), true).unwrap();
    let error = RunWriter::open(&file, &header(&two()), true).err().unwrap();
    let owner = format!("it is being written by process {} on ", std::process::id());
    assert!(error.to_string().contains(&owner), "{error}");
    assert_eq!(Run::open(&file).unwrap().groups().unwrap(), 1);
    writing.finish(false, None).unwrap();
    record(folder.path(), &file, &two(), 2).unwrap();
}

#[test]
fn two_pairs_with_one_name_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut twice = two();
    twice[1].1 = "1".to_owned();
    let file = folder.path().join("run.metacov");
    let error = record(folder.path(), &file, &twice, 2).unwrap_err();
    assert!(matches!(error.fault, Fault::Io(_)), "{error}");
    assert!(error.to_string().contains("two pairs of swap are named 1"), "{error}");
}
