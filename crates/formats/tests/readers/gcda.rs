//! gcc's counters and notes, solved by metacov, compared with gcov.

use std::fs;
use std::path::PathBuf;

use metacov_formats::{CoverageLoader, FileSpec, NotesSearch, Scope};

use crate::sets::{Sets, assert_same, data, describe, describe_all, read, scope};

fn counters(producer: &str, side: &str) -> [PathBuf; 2] {
    ["main", "shapes"].map(|unit| data(&format!("gcda/{producer}/{side}/{unit}.gcda")))
}

fn with_notes(producer: &str) -> Scope {
    Scope { notes: Some(data(&format!("gcda/{producer}"))), ..scope() }
}

fn gcov(scope: &Scope, producer: &str, side: &str) -> Sets {
    read(scope, &[data(&format!("gcov_json/{producer}/{side}.ndjson"))]).unwrap()
}

#[test]
fn counters_give_the_result_of_gcov() {
    for producer in ["gcc-11", "gcc-12"] {
        for side in ["a", "b"] {
            let ours = read(&with_notes(producer), &counters(producer, side)).unwrap();
            assert_same(&ours, &gcov(&scope(), producer, side), producer);
            assert!(!ours.only("branch").executed.is_empty());
        }
    }
}

#[test]
fn template_instances_are_distinguished_as_in_gcov() {
    for producer in ["gcc-11", "gcc-12"] {
        for side in ["a", "b"] {
            let scope = Scope { per_instance: true, ..with_notes(producer) };
            let ours = read(&scope, &counters(producer, side)).unwrap();
            assert_same(&ours, &gcov(&scope, producer, side), producer);
        }
    }
}

#[test]
fn notes_are_needed_and_must_be_of_the_same_build() {
    let fault = |scope: &Scope| {
        let fault = read(scope, &counters("gcc-12", "a")).unwrap_err().fault.to_string();
        fault.replace(data("").to_str().unwrap(), "")
    };
    let missing = fault(&scope());
    assert_eq!(missing, "no notes gcda/gcc-12/a/main.gcno (name their folder with --notes)");
    let other = fault(&with_notes("gcc-11"));
    let expected =
        "made from another build than gcda/gcc-11/main.gcno: what it counts is not the same code";
    assert_eq!(other, expected);
}

/// Notes of the embedded SQLite are not searched for where it was compiled: another build may be
/// there.
#[test]
fn only_the_given_notes_are_used() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["main.gcda", "shapes.gcda"] {
        fs::copy(data(&format!("gcda/gcc-12/a/{name}")), folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).with_extension("gcno"), "oncg").unwrap();
    }
    let files = ["main", "shapes"].map(|unit| folder.path().join(unit).with_extension("gcda"));
    assert!(read(&with_notes("gcc-12"), &files).is_err(), "those beside the counters come first");
    let own = Scope { notes_search: NotesSearch::FolderOnly, ..with_notes("gcc-12") };
    assert_same(&read(&own, &files).unwrap(), &gcov(&scope(), "gcc-12", "a"), "own notes");
    let elsewhere = Scope { notes: Some(data("gcda")), ..own };
    assert!(read(&elsewhere, &files).is_err(), "not in a folder below");
}

/// A cut between two records leaves a file of valid records, with fewer functions.
#[test]
fn truncated_counters_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.gcda");
    for producer in ["gcc-11", "gcc-12"] {
        for (unit, path) in ["main", "shapes"].into_iter().zip(counters(producer, "a")) {
            let notes = data(&format!("gcda/{producer}/{unit}.gcno"));
            fs::copy(notes, cut.with_extension("gcno")).unwrap();
            let whole = fs::read(&path).unwrap();
            let read = |bytes: &[u8]| {
                fs::write(&cut, bytes).unwrap();
                read(&scope(), std::slice::from_ref(&cut)).map_err(|error| error.fault.to_string())
            };
            assert!(read(&whole).is_ok());
            let mut between_records = 0;
            for length in (0..whole.len()).step_by(4) {
                let said = read(&whole[..length]).unwrap_err();
                let zeroed = [&whole[..length], &vec![0; whole.len() - length]].concat();
                if said.contains("it is cut off") && zeroed != whole {
                    between_records += 1;
                    // After a power cut, zeros may replace what was written last.
                    let said = read(&zeroed).unwrap_err();
                    assert!(said.contains("there is more after its end"), "{said}");
                }
            }
            assert!(between_records > 2, "{producer} {unit}");
        }
    }
}

/// Units that no run has loaded leave no counters: their notes show that they are code.
#[test]
fn notes_alone_are_a_universe_but_not_a_side() {
    let notes = ["main", "shapes"].map(|unit| data(&format!("gcda/gcc-12/{unit}.gcno")));
    let scope = with_notes("gcc-12");
    let fault = read(&scope, &notes).unwrap_err().fault.to_string();
    assert_eq!(
        fault,
        "gcov notes (.gcno) list all code and not what ran: use them with --universe"
    );
    let mut loader = CoverageLoader::new(&scope);
    for path in notes {
        loader.read_universe(&[FileSpec { path, context: None }]).unwrap();
    }
    let [path, _] = counters("gcc-12", "a");
    let main_alone = loader.read_side(&[FileSpec { path, context: None }]).unwrap();
    let all = gcov(&scope, "gcc-12", "a");
    let universe = describe_all(loader.table());
    assert!(all.known.iter().all(|site| universe.contains(site)), "all that gcov lists is code");
    assert!(describe(loader.table(), &main_alone).known.len() < universe.len());
}
