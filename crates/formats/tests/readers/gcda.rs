//! gcc's counters and notes, solved here, against what gcov makes of them.

use std::path::PathBuf;

use metacov_formats::Scope;

use crate::sets::{Sets, assert_same, data, read, scope};

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
    assert_eq!(other, "gcda/gcc-11/main.gcno is of another build (compiled again?)");
}
