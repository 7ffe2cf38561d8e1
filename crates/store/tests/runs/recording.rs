//! Runs are recorded completely, in steps, and by one writer at a time.

use std::fs;

use metacov_core::{CodeFile, Operation, StoredInput};
use metacov_run::{Observer, RunError};
use metacov_store::{Header, Provenance, Run, RunWriter, Settings};
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Pairs may be added anywhere in the list, before and after an interrupt.
    #[test]
    fn a_suite_that_grows_is_what_it_would_be_at_once(
        specs in specs(),
        kept in prop::collection::vec(any::<bool>(), 14),
        cut in 0..12usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.metacov");
        let first = specs.iter().zip(&kept).filter(|(_, is_kept)| **is_kept);
        let first: Vec<Spec> = first.map(|(spec, _)| spec.clone()).collect();
        if !first.is_empty() {
            record(folder.path(), &file, &first, first.len()).unwrap();
            record(folder.path(), &file, &specs, cut.min(specs.len() - 1)).unwrap();
            let header = Run::open(&file).unwrap().header;
            prop_assert_eq!(header.planned, Some(specs.len() as u64));
        }
        record(folder.path(), &file, &specs, specs.len()).unwrap();
        let run = Run::open(&file).unwrap();
        prop_assert!(run.header.complete);
        prop_assert_eq!(run.groups().unwrap(), specs.len() as u64);
        prop_assert_eq!(exported(&file).unwrap(), shown(&live(folder.path(), &specs)));
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
    let refusal = |header: Header| match RunWriter::open(&file, &header, true) {
        Err(RunError::Input(error)) => error.fault.to_string(),
        _ => panic!("not refused"),
    };
    let begun = header(&two());
    let said = refusal(Header { operation: Operation::Sub, ..begun.clone() });
    assert!(said.starts_with("the run was begun with the operation xor, not sub;"), "{said}");
    let said = refusal(Header { per_instance: true, ..begun.clone() });
    assert!(said.starts_with("the run was begun with an identity by line, not instance"), "{said}");
    let said = refusal(Header { planned: Some(1), ..begun.clone() });
    assert!(said.starts_with("the run was begun with a number of pairs of 2, not 1;"), "{said}");
    let program = |hash| CodeFile { name: "./x".to_owned(), hash, compiler: None, flags: None };
    let of_program = |hash| Header {
        provenance: Provenance { code: vec![program(hash)], ..Provenance::default() },
        ..begun.clone()
    };
    let with_program = folder.path().join("program.metacov");
    RunWriter::open(&with_program, &of_program(1), false).unwrap().finish(false, None).unwrap();
    RunWriter::open(&with_program, &of_program(1), true).unwrap().finish(false, None).unwrap();
    let error = RunWriter::open(&with_program, &of_program(2), true).err().unwrap().to_string();
    assert!(
        error.contains("./x was built again with other code since the run was begun"),
        "{error}"
    );
    let said = refusal(Header { settings: Settings::new(), ..begun });
    assert!(said.starts_with("the run was begun with --filter a, not (none);"), "{said}");

    let mut other = two();
    other[0].1 = "one".to_owned();
    let said = record(folder.path(), &file, &other, 2).unwrap_err().to_string();
    assert!(said.contains("pair 1 of swap is not among the pairs any more"), "{said}");
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
    assert!(matches!(error, RunError::Output(_)), "{error}");
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
    assert!(matches!(error, RunError::Output(_)), "{error}");
    assert!(error.to_string().contains("two pairs of swap are named 1"), "{error}");
}

/// An input that was edited belongs to another pair, also if only bytes were changed that are not kept.
#[test]
fn a_pair_whose_input_has_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.metacov");
    record(folder.path(), &file, &two(), 1).unwrap();
    let writer = RunWriter::open(&file, &header(&two()), true).unwrap();
    let input = |name: &str, last: u8| {
        let mut content = vec![b'x'; StoredInput::BYTES_MAX];
        content.push(last);
        StoredInput::new(name.to_owned(), content)
    };
    let check = |inputs: &[Vec<StoredInput>]| writer.check_done("swap", "1", inputs);
    let stored = Run::open(&file).unwrap().pairs().unwrap().next().unwrap().unwrap().inputs;
    check(&stored).unwrap();
    let mut edited = stored.clone();
    edited[1][0] = input(&stored[1][0].name, b'y');
    let said = check(&edited).unwrap_err().to_string();
    let name = &stored[1][0].name;
    assert!(said.contains(&format!("input {name} of pair 1 of swap has changed since")), "{said}");
    let mut fewer = stored.clone();
    fewer[1].pop();
    let said = check(&fewer).unwrap_err().to_string();
    assert!(said.contains("pair 1 of swap has fewer inputs"), "{said}");
    let tails = [b'y', b'z'].map(|last| input("a", last).identity().unwrap());
    assert_ne!(tails[0], tails[1]);
    writer.check_done("swap", "2", &edited).unwrap();
}
