use std::sync::Arc;

use metacov_core::{Element, Group, Operation, Reading, Site, SiteTable, SuiteFold, Verdict};
use metacov_mutants::{Mutant, MutantVerdict, Operator};
use metacov_store::StoredMutants;

use super::*;

fn mutant(line: u32, operator: Operator) -> Mutant {
    let (file, function): (Arc<str>, Arc<str>) = ("a.c".into(), "f".into());
    Mutant { file, line, column: 3, operator, function }
}

/// Line 1 runs in both sides, line 2 in one, line 3 in none.
fn suite() -> Suite {
    let mut table = SiteTable::new();
    let file = table.file("/src/a.c");
    let instance = table.symbol("");
    let sites =
        [1, 2, 3].map(|line| table.site(Site { file, line, element: Element::Line, instance }));
    let reading = |lines: &[u32]| {
        let mut reading = Reading::of(&table);
        for (line, site) in (1..).zip(sites) {
            reading.known.insert(site);
            if lines.contains(&line) {
                reading.executed.insert(site);
            }
        }
        reading
    };
    let group = Group::new(vec![reading(&[1, 2]), reading(&[1])]).unwrap();
    let mut fold = SuiteFold::new(&table, Operation::Xor);
    fold.add("norec", Ok(&group), Some(&Verdict::Holds));
    fold.finish(table, false)
}

fn run() -> MutantRun {
    use MutantVerdict as V;
    let mutants = vec![
        mutant(1, Operator::AddToSub),
        mutant(2, Operator::LtToGe),
        mutant(2, Operator::LtToLe),
        mutant(3, Operator::EqToNe),
    ];
    let stored = |verdicts: &[(u32, V)]| StoredMutants {
        verdicts: verdicts.to_vec(),
        mutant_micros: 1_000_000,
        ..StoredMutants::default()
    };
    let pairs = [
        ("norec", "1", stored(&[(0, V::Survived), (1, V::Crash), (2, V::Survived)])),
        ("norec", "2", stored(&[(0, V::Killed), (1, V::Survived)])),
        ("tlp", "1", StoredMutants { unusable: Some("violated".to_owned()), ..stored(&[]) }),
    ];
    let pairs = pairs.map(|(relation, pair, stored)| ((relation.into(), pair.into()), stored));
    MutantRun { wanted: vec![true; mutants.len()], mutants, pairs: pairs.into() }
}

#[test]
fn a_mutant_counts_as_its_strongest_verdict() {
    let (run, suite) = (run(), suite());
    let scores = MutantScores::new(&run, &suite);
    let table = scores.by_relation().to_markdown();
    assert_eq!(
        table.lines().skip(2).collect::<Vec<_>>(),
        [
            "| norec | 2 | 3 | 1 | 0 | 1 | 0 | 0 | 1 | **25.00 %** | 33.33 % |",
            "| tlp | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | **0.00 %** | - |",
            "| all | 2 | 3 | 1 | 0 | 1 | 0 | 0 | 1 | **25.00 %** | 33.33 % |",
        ]
    );
    assert_eq!(
        scores.cost_note(),
        "3 pairs, 3.0 s of processor time, 1.50 s for each; 1 pair was not used"
    );
}

#[test]
fn lists_compare_mutants_with_the_state_of_their_lines() {
    let (run, suite) = (run(), suite());
    let scores = MutantScores::new(&run, &suite);
    assert_eq!(
        scores.lines_note(),
        "\
Mutants reached on MC lines: 0 of 2 killed (0.00 %).
Mutants reached on other executed lines: 1 of 1 killed (100.00 %).
1 mutant survives on a checked line
  a.c:2:3: < to <=, in f
1 mutant is killed outside of MC
  a.c:1:3: + to -, in f
"
    );
}

#[test]
fn files_have_the_whole_matrix() {
    let (run, suite) = (run(), suite());
    let scores = MutantScores::new(&run, &suite);
    let csv = scores.to_file(MutantFormat::Csv);
    assert_eq!(csv.lines().count(), 6);
    assert!(csv.contains("\nnorec,2,0,cxx_add_to_sub,a.c,1,3,f,both,killed\n"), "{csv}");
    let json: serde_json::Value =
        serde_json::from_str(&scores.to_file(MutantFormat::Json)).unwrap();
    assert_eq!(json["pairs"][0]["verdicts"]["survived"], serde_json::json!([0, 2]));
    assert_eq!(json["mutants"][3]["verdict"], serde_json::Value::Null);
    let text = scores.to_file(MutantFormat::Elements);
    let elements: serde_json::Value = serde_json::from_str(&text).unwrap();
    let of = |at: usize| elements["files"]["a.c"]["mutants"][at]["status"].clone();
    assert_eq!([of(0), of(1), of(2), of(3)], ["Killed", "RuntimeError", "Survived", "NoCoverage"]);
}
