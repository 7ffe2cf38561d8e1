//! Code by suspicion, overlaps with fixes, correlations with bugs.

use metacov_core::Functions;
use metacov_report::{overlaps, suspects};
use metacov_study::locate::{Formula, Found, Frequency, Ranking, Shares, Symptom, rank};
use metacov_study::overlap::{Hits, Overlap};

use crate::support::{Program, lines};

/// Ten lines in two functions: the violating pair runs 1 to 7 and differs in 7; passing pairs run 1
/// to 5.
fn ranking(passing_pairs: usize) -> Ranking {
    let program =
        Program::of_lines(1..=10).function("a.c", "first", 1, 5).function("a.c", "second", 6, 10);
    let cover = |ran: &[u32]| program.reading(&lines("a.c", ran)).executed;
    let executed = cover(&[1, 2, 3, 4, 5, 6, 7]);
    let mut violating = Frequency::default();
    violating.add(&executed);
    let mut passing = Frequency::default();
    (0..passing_pairs).for_each(|_| passing.add(&cover(&[1, 2, 3, 4, 5])));
    let symptom = Symptom {
        executed,
        difference: cover(&[7]),
        violating,
        near_misses: Frequency::default(),
        invalid: 0,
        how: String::new(),
    };
    let functions = Functions::of(&program.table);
    rank(&program.table, &functions, &[symptom], &passing, Formula::Suspicion)
}

#[test]
fn the_most_suspicious_lines_have_rank_place_and_source() {
    let source = |suspect: &metacov_study::locate::SuspiciousLine| match suspect.line {
        7 => format!("\tif (a\u{1b}[31m < b) {}", "x".repeat(100)),
        _ => String::new(),
    };
    let table = suspects::lines(&ranking(4).lines, 3, source);
    insta::assert_snapshot!(table.to_terminal(false), @"
    rank   line    function   suspicion   source
       1   a.c:7   second         1.020   if (a [31m < b) xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
       2   a.c:6   second         1.000
       5   a.c:1   first          0.000
    ");
}

#[test]
fn functions_have_the_shares_of_their_most_suspicious_line() {
    insta::assert_snapshot!(suspects::functions(&ranking(4).functions, 10).to_terminal(false), @"
    rank   function   line    suspicion   violating   passing   near misses   MC
       1   second     a.c:7       1.028       100 %       0 %             -   yes
       2   first      a.c:1       0.000       100 %     100 %             -
    ");
    let unknown = suspects::functions(&ranking(0).functions, 1);
    assert_eq!(unknown.rows.len(), 1, "no more than asked for");
    assert_eq!(unknown.rows[0][4..7], ["100 %", "-", "-"], "nothing passes, nothing is near");
}

#[test]
fn fixes_that_did_not_run_have_no_rank() {
    let found = |function, line| Found { function, line };
    let bugs = vec![(
        "b".to_owned(),
        [found(Some(1.0), Some(2.5)), found(Some(12.0), None), Found::default()],
    )];
    assert_eq!(suspects::found(&bugs).rows, [["b", "1", "2.5", "12", "-"]]);
}

#[test]
fn shares_are_counts_and_percents_of_the_bugs() {
    let shares = |bugs| Shares { bugs, functions: [0, 1, 2, bugs], lines: [0, 1, bugs] };
    let table = suspects::shares(&[("suspicion", shares(3)), ("plain", shares(0))]);
    assert_eq!(
        table.rows[0],
        [
            "suspicion",
            "3",
            "0 (0 %)",
            "1 (33 %)",
            "2 (66 %)",
            "3 (100 %)",
            "0 (0 %)",
            "1 (33 %)",
            "3 (100 %)"
        ]
    );
    assert_eq!(table.rows[1][2], "0", "of no bugs there is no share");
    assert_eq!(table.columns.len(), table.rows[0].len());
}

fn overlap(differing: u32, chance: f64) -> Overlap {
    let (chance_in_files, chance_shifted) = (Some(2.0 * chance), None);
    let hits = |executed| {
        let differing = differing.min(executed);
        Hits { executed, differing, chance, chance_in_files, chance_shifted }
    };
    Overlap { strict: hits(0), context: hits(3), function: hits(8) }
}

#[test]
fn one_fix_has_no_sum_and_several_have_one() {
    let row = |name: &str, differing, chance| (name.to_owned(), overlap(differing, chance));
    let one = overlaps::table(&[row("a", 2, 0.5)]);
    let chances = ["50.0 %", "100.0 %", "-"];
    let cells = [&["a", "-"], &chances[..], &["2 of 3"], &chances, &["2 of 8"], &chances].concat();
    assert_eq!(one.rows, [cells]);
    let several = overlaps::table(&[row("a", 2, 0.5), row("b", 0, 0.25), row("c", 1, 0.5)]);
    let sum = several.rows.last().unwrap();
    assert_eq!(sum[..2], ["all", "0 of 3 fixes"]);
    assert_eq!(sum[5..9], ["2 of 3 fixes", "1.2 fixes", "2.5 fixes", "-"]);
    assert_eq!(sum[9..], sum[5..9]);
    assert!(overlaps::table(&[]).rows.is_empty());
}
