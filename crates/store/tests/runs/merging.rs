//! The laws of merging.

use std::fs;
use std::path::{Path, PathBuf};

use metacov_core::Failure;
use metacov_store::{Merged, Run, merge};
use proptest::prelude::*;

use crate::suite::{Ran, Spec, live, record, shown, specs, told};

/// Runs to merge, and what is made of them.
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// The parts may overlap, and may be in dispute: then a byte tells, always the same one.
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
                disputed.2.clone_from(&other);
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
    fn the_parts_make_the_whole(specs in specs(), parts in prop::collection::vec(1..4u8, 13)) {
        let bench = bench();
        for (at, name) in ["a", "b"].iter().enumerate() {
            let chosen = specs.iter().zip(&parts).filter(|(_, parts)| **parts >> at & 1 == 1);
            bench.record(name, &chosen.map(|(spec, _)| spec.clone()).collect::<Vec<_>>());
        }
        let merged = bench.merge(&["a", "b"], "all");
        prop_assert_eq!(merged, Merged { groups: specs.len() as u64, disputed: 0, rounds: 0 });
        let whole = live(bench.0.path(), &specs);
        prop_assert_eq!(told(&bench.path("all")).unwrap(), shown(&whole));
    }
}

fn group(name: &str, sides: [Ran; 2]) -> Spec {
    ("swap".to_owned(), name.to_owned(), sides.to_vec())
}

#[test]
fn what_was_measured_stands_before_what_failed() {
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
            Merged { groups: 2, disputed: 1, rounds: 0 }
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
    assert!(said.contains("two.metacov: it exists"), "{said}");
    let said = merge(&["one", "nowhere"], &bench.path("out"));
    assert!(said.contains("nowhere.metacov: No such file"), "{said}");
    assert!(!bench.path("out").exists());
    bench.merge(&["one", "two"], "two");
    assert_eq!(Run::open(&bench.path("two")).unwrap().groups().unwrap(), 2);
}
