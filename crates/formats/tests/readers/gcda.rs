//! gcc's counters and notes, solved here, against what gcov makes of them.

use std::path::PathBuf;

use metacov_formats::{CoverageLoader, FileSpec, Scope};

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
fn counters_give_what_gcov_makes_of_them() {
    for producer in ["gcc-11", "gcc-12"] {
        for side in ["a", "b"] {
            let ours = read(&with_notes(producer), &counters(producer, side)).unwrap();
            assert_same(&ours, &gcov(&scope(), producer, side), producer);
            assert!(!ours.only("branch").executed.is_empty());
        }
    }
}

#[test]
fn instances_of_a_template_are_kept_apart_as_gcov_does() {
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

/// Units that no run has loaded leave no counters behind: their notes tell that they are code.
#[test]
fn notes_alone_are_a_universe_and_no_side() {
    let notes = ["main", "shapes"].map(|unit| data(&format!("gcda/gcc-12/{unit}.gcno")));
    let scope = with_notes("gcc-12");
    let fault = read(&scope, &notes).unwrap_err().fault.to_string();
    assert_eq!(fault, "gcov notes (.gcno) do not tell what ran (see --universe)");
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
