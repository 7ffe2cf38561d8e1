//! The contents of the pages of a small run, checked by hand.

use std::collections::BTreeSet;

use metacov_core::{Criterion, Failure, SiteId, SiteState, total};
use metacov_report::digest::{Digest, Gap, Gaps, Outline, Overlap, PairEnd, Shape};
use proptest::prelude::*;

use crate::support::{Pair, Place, Program, any_pairs, digest, lines, two_files};

/// Two functions of five lines each.
fn two_functions() -> Program {
    let program = Program::of_lines(1..=10);
    program.function("a.c", "first", 1, 5).function("a.c", "second", 6, 10)
}

fn pairs() -> Vec<Pair> {
    vec![
        Pair::ran("shift", &[1, 2, 3, 6, 7], &[1, 2, 3, 6, 7]),
        Pair::ran("shift", &[1, 2, 6, 7], &[1, 2, 3, 6, 7]),
        Pair::ran("swap", &[1, 2, 3, 4, 6], &[1, 2, 3, 5, 6]),
        Pair::ran("swap", &[1, 2, 3, 6, 7], &[1, 2, 6, 7]),
    ]
}

#[test]
fn numbers_are_those_of_the_pairs() {
    let digest = digest(two_functions(), &pairs());
    let table = &digest.suite.table;
    let outline = Outline::of(&digest);
    let counts: Vec<[u32; 4]> = outline.files[0]
        .sites
        .iter()
        .filter(|id| table.get(**id).criterion() == digest.primary)
        .map(|id| {
            let counts = &digest.counts;
            [counts.ran(*id), counts.a_only(*id), counts.b_only(*id), counts.differing(*id)]
        })
        .collect();
    let none = [0; 4];
    let [one, two] = [[4, 0, 0, 0], [4, 0, 0, 0]];
    let three = [4, 1, 1, 2];
    let [four, five] = [[1, 1, 0, 1], [1, 0, 1, 1]];
    let seven = [3, 0, 0, 0];
    assert_eq!(counts, [one, two, three, four, five, one, seven, none, none, none]);
    let shapes: Vec<Shape> = digest.cases.iter().map(|case| case.shape).collect();
    assert_eq!(shapes, [Shape::Empty, Shape::OneSided, Shape::TwoSided, Shape::OneSided]);
    let relations: Vec<_> =
        digest.relations.iter().map(|of| (of.name.as_str(), of.empty, of.one_sided)).collect();
    assert_eq!(relations, [("shift", 1, 1), ("swap", 0, 1)]);
    let overlap = Overlap::of(&digest);
    assert_eq!((overlap.mc_sites, overlap.unique), (vec![1, 3], vec![0, 2]));
    assert_eq!(overlap.shared, [[1, 1], [1, 3]]);
}

#[test]
fn gaps_are_executed_and_never_checked() {
    let digest = digest(two_functions(), &pairs());
    let outline = Outline::of(&digest);
    let gaps = Gaps::of(&digest, &outline);
    let fields = |gap: &Gap| {
        let name = outline.functions[gap.function].name.as_str();
        (name.to_owned(), gap.lines, gap.sites, gap.pairs, gap.executions, gap.closest.clone())
    };
    // Lines 6 and 7; swap has line 5, shift line 3.
    let second = ("second".to_owned(), (6, 7), 2, 4, 7, vec![(1, 5), (0, 3)]);
    assert_eq!(gaps.functions.iter().map(fields).collect::<Vec<_>>(), [second]);
    let first = ("first".to_owned(), (1, 2), 2, 4, 8, vec![(0, 3), (1, 3)]);
    assert_eq!(gaps.blocks.iter().map(fields).collect::<Vec<_>>(), [first]);
}

#[test]
fn the_most_often_executed_gap_comes_first() {
    let program = Program::of_lines(1..=6)
        .function("a.c", "rare", 1, 2)
        .function("a.c", "often", 3, 4)
        .function("a.c", "never", 5, 6);
    let both = |ran: &[u32]| Pair::ran("swap", ran, ran);
    let digest = digest(program, &[both(&[1, 3]), both(&[3, 4]), both(&[3])]);
    let outline = Outline::of(&digest);
    let gaps = Gaps::of(&digest, &outline);
    let fields =
        |gap: &Gap| (&*outline.functions[gap.function].name, gap.executions, gap.neighbour);
    let functions: Vec<_> = gaps.functions.iter().map(fields).collect();
    assert_eq!(functions, [("often", 4, None), ("rare", 1, None)], "what never runs is no gap");
    assert!(gaps.blocks.is_empty());
}

#[test]
fn a_function_that_encloses_another_has_its_lines_on_both_sides() {
    let program =
        Program::of_lines(1..=9).function("a.c", "outer", 1, 9).function("a.c", "inner", 4, 6);
    let ran: Vec<u32> = (1..=9).collect();
    let without_2: Vec<u32> = ran.iter().copied().filter(|line| *line != 2).collect();
    let digest = digest(program, &[Pair::ran("swap", &ran, &without_2)]);
    let outline = Outline::of(&digest);
    let gaps = Gaps::of(&digest, &outline);
    let fields = |gap: &Gap| (&*outline.functions[gap.function].name, gap.lines, gap.sites);
    assert_eq!(gaps.functions.iter().map(fields).collect::<Vec<_>>(), [("inner", (4, 6), 3)]);
    let blocks: Vec<_> = gaps.blocks.iter().map(fields).collect();
    assert_eq!(blocks, [("outer", (3, 9), 4), ("outer", (1, 1), 1)]);
}

#[test]
fn an_outline_has_files_functions_and_code_outside_of_them_in_order() {
    let digest = digest(two_files(), &[Pair::ran("swap", &[1, 2, 3, 6], &[1, 2, 4, 6])]);
    let outline = Outline::of(&digest);
    let files: Vec<_> = outline.files.iter().map(|of| (&*of.path, of.functions.clone())).collect();
    assert_eq!(files, [("a.c", 0..2), ("b.c", 2..3)]);
    let functions: Vec<_> =
        outline.functions.iter().map(|of| (of.file, of.line, of.name.as_str())).collect();
    assert_eq!(functions, [(0, 1, "first"), (0, 6, "second"), (1, 0, "")]);
    let of_lines = |at: usize| {
        let all = outline.functions[at].numbers[0][0];
        (all.sites, all.executed, all.mc_sites)
    };
    assert_eq!([of_lines(0), of_lines(1), of_lines(2)], [(5, 4, 2), (5, 1, 0), (4, 0, 0)]);
}

#[test]
fn failures_are_counted_by_their_first_words() {
    let long = "x".repeat(300);
    let failed = |words: &str| Pair::failed("swap", Failure::Crashed, words);
    let digest = digest(
        two_functions(),
        &[
            failed("  out of memory \nat line 7"),
            failed("out of memory\nat line 9"),
            failed(&long),
            Pair::failed("shift", Failure::TimedOut, ""),
            Pair::ran("swap", &[1], &[2]),
        ],
    );
    let reasons: Vec<_> = digest
        .reasons
        .iter()
        .map(|((relation, how, words), count)| (&**relation, how.name(), words.len(), *count))
        .collect();
    let expected = [
        ("shift", "timed out", 0, 1),
        ("swap", "crashed", "out of memory".len(), 2),
        ("swap", "crashed", 200, 1),
    ];
    assert_eq!(reasons, expected);
    assert_eq!((digest.counts.pairs, digest.total.all_groups(), digest.cases.len()), (1, 5, 5));
    let PairEnd::Failed(side, Failure::Crashed, words) = &digest.cases[0].ended else {
        panic!("the first pair crashed");
    };
    assert_eq!((*side, words.as_str()), (1, "  out of memory \nat line 7"));
}

#[test]
fn setups_are_those_of_the_pairs() {
    let pair = |setup: &str| Pair::ran("swap", &[1], &[2]).on(setup, ["a", "b"]);
    let digest = digest(two_functions(), &[pair("CREATE"), pair("CREATE"), pair("DROP")]);
    let setups: BTreeSet<&[u8]> =
        digest.setups.values().map(metacov_core::Setup::content).collect();
    assert_eq!(setups, BTreeSet::from([&b"CREATE"[..], b"DROP"]));
    assert_eq!(digest.cases[0].setup, digest.cases[1].setup);
    assert_eq!(digest.cases[0].inputs[1][0].content, b"b");
}

#[test]
fn violations_are_counted_by_relation() {
    let pair = || Pair::ran("swap", &[1], &[2]);
    let digest =
        digest(two_functions(), &[pair(), pair().violated("a returns 1, b returns 2"), pair()]);
    assert_eq!(digest.relations[0].violated, 1);
}

/// The primary criterion is lines only if there are any.
#[test]
fn curves_and_gaps_use_the_first_available_criterion() {
    let program = Program::default().branches("a.c", 1, 2).function("a.c", "first", 1, 5);
    let digest = digest(program, &[Pair::ran("swap", &[1, 2], &[1, 3])]);
    assert_eq!(digest.primary, Criterion::Branch);
    assert_eq!(digest.growth.relations["swap"].points[0].mc_sites(Criterion::Branch), 2);
    assert_eq!(Overlap::of(&digest).mc_sites, [2]);
}

/// Excluded code counts nowhere, so it makes no difference either.
#[test]
fn excluded_code_makes_no_difference() {
    let mut program = Program::of_lines(1..=3);
    let third = program.table.ordered()[2];
    program.table.exclude(third);
    let digest =
        digest(program, &[Pair::ran("swap", &[1, 3], &[1]), Pair::ran("swap", &[2], &[3])]);
    let relation = &digest.relations[0];
    assert_eq!((relation.empty, relation.one_sided), (1, 1));
    let shapes: Vec<Shape> = digest.cases.iter().map(|case| case.shape).collect();
    assert_eq!(shapes, [Shape::Empty, Shape::OneSided]);
}

fn primary_sites(digest: &Digest) -> Vec<SiteId> {
    let is_primary = |id: &SiteId| digest.suite.table.get(*id).criterion() == digest.primary;
    digest.suite.table.ordered().into_iter().filter(is_primary).collect()
}

/// Lines of `a.c` that a side ran.
fn has(side: &[Place], line: u32) -> bool {
    side.contains(&("a.c".to_owned(), line))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Counted pair by pair from the plan, without covers.
    #[test]
    fn counts_are_those_of_the_plan(pairs in any_pairs()) {
        let digest = digest(two_files(), &pairs);
        let measured: Vec<_> = pairs.iter().filter_map(|pair| pair.outcome.as_ref().ok()).collect();
        prop_assert_eq!(digest.counts.pairs as usize, measured.len());
        let table = &digest.suite.table;
        for id in primary_sites(&digest) {
            if table.path(table.get(id).file) != "a.c" {
                continue;
            }
            let line = table.get(id).line;
            let count = |of: &dyn Fn(&[Vec<Place>]) -> bool| {
                u32::try_from(measured.iter().filter(|sides| of(sides)).count()).unwrap()
            };
            let ordered = |sides: &[Vec<Place>], first: bool| {
                sides.iter().enumerate().any(|(at, a)| {
                    sides[at + 1..].iter().any(|b| has(a, line) == first && has(b, line) != first)
                })
            };
            let counts = &digest.counts;
            prop_assert_eq!(counts.ran(id), count(&|sides| sides.iter().any(|of| has(of, line))));
            prop_assert_eq!(counts.a_only(id), count(&|sides| ordered(sides, true)));
            prop_assert_eq!(counts.b_only(id), count(&|sides| ordered(sides, false)));
            let differs = |sides: &[Vec<Place>]| ordered(sides, true) || ordered(sides, false);
            prop_assert_eq!(counts.differing(id), count(&differs));
        }
    }

    /// Every executed line that is never checked is in one gap, and nothing else is.
    #[test]
    fn gaps_partition_the_lines_that_are_never_checked(pairs in any_pairs()) {
        let digest = digest(two_files(), &pairs);
        let outline = Outline::of(&digest);
        let gaps = Gaps::of(&digest, &outline);
        let all = || gaps.functions.iter().chain(&gaps.blocks);
        let sites: u64 = all().map(|gap| gap.sites).sum();
        let summary = total(&digest.suite.table, &digest.total)[digest.primary];
        prop_assert_eq!(sites, summary.both);
        let executions: u64 = all().map(|gap| gap.executions).sum();
        let executed = primary_sites(&digest).into_iter().filter(|id| digest.total.state(*id) == SiteState::Both);
        prop_assert_eq!(executions, executed.map(|id| u64::from(digest.counts.ran(id))).sum::<u64>());
        for gap in all() {
            prop_assert!(gap.lines.0 <= gap.lines.1 && gap.pairs > 0);
            prop_assert!(u64::from(gap.pairs) <= gap.executions);
            let distance = |line: u32| gap.lines.0.saturating_sub(line).max(line.saturating_sub(gap.lines.1));
            let distances: Vec<u32> = gap.closest.iter().map(|(_, line)| distance(*line)).collect();
            prop_assert!(distances.is_sorted());
            prop_assert_eq!(gap.neighbour, gap.closest.first().map(|(_, line)| *line));
        }
        for list in [&gaps.functions, &gaps.blocks] {
            prop_assert!(list.is_sorted_by(|left, right| left.executions >= right.executions));
        }
    }

    #[test]
    fn functions_add_up_to_the_total_of_each_relation(pairs in any_pairs()) {
        let digest = digest(two_files(), &pairs);
        let outline = Outline::of(&digest);
        let tallies = std::iter::once(&digest.total).chain(digest.suite.relations.values());
        for (column, tally) in tallies.enumerate() {
            for (at, criterion) in digest.criteria.iter().enumerate() {
                let sum = |of: fn(&metacov_report::digest::Numbers) -> u64| -> u64 {
                    outline.functions.iter().map(|function| of(&function.numbers[at][column])).sum()
                };
                let summary = total(&digest.suite.table, tally)[criterion];
                prop_assert_eq!(sum(|of| of.sites), summary.sites);
                prop_assert_eq!(sum(|of| of.executed), summary.executed());
                prop_assert_eq!(sum(|of| of.mc_sites), summary.result);
            }
        }
    }

    #[test]
    fn an_overlap_is_symmetric_and_within_both(pairs in any_pairs()) {
        let digest = digest(two_files(), &pairs);
        let Overlap { mc_sites, unique, shared } = Overlap::of(&digest);
        let mut once = 0;
        for (row, of) in shared.iter().enumerate() {
            prop_assert_eq!(of[row], mc_sites[row]);
            prop_assert!(unique[row] <= mc_sites[row]);
            once += unique[row];
            for (column, count) in of.iter().enumerate() {
                prop_assert_eq!(*count, shared[column][row]);
                prop_assert!(row == column || count + unique[row] <= mc_sites[row]);
            }
        }
        let summary = total(&digest.suite.table, &digest.total)[digest.primary];
        prop_assert!(once <= summary.result && summary.result <= mc_sites.iter().sum());
    }

    /// The curve of a relation ends at the value of its tally, and never falls.
    #[test]
    fn growth_ends_at_the_total(pairs in any_pairs()) {
        let digest = digest(two_files(), &pairs);
        for (name, curve) in &digest.growth.relations {
            let summary = total(&digest.suite.table, &digest.suite.relations[name])[Criterion::Line];
            let last = curve.points.last().unwrap();
            prop_assert_eq!(last.mc_sites(Criterion::Line), summary.result);
            let values: Vec<u64> = curve.points.iter().map(|of| of.mc_sites(Criterion::Line)).collect();
            prop_assert!(values.is_sorted());
        }
    }
}

#[test]
fn a_group_of_three_sides_is_one_case() {
    let side = |ran: &[u32]| lines("a.c", ran);
    let group = Pair::of("tlp", vec![side(&[1, 2]), side(&[1, 3]), side(&[1, 2, 3])]);
    let digest = digest(Program::of_lines(1..=4), &[group]);
    assert_eq!((digest.counts.pairs, digest.total.pairs, digest.cases.len()), (1, 3, 1));
    let case = &digest.cases[0];
    // Line 2: the first side without the second, the second without the third. Line 3: the second
    // and the third without the first.
    assert_eq!((case.a_only, case.b_only, case.shape), (1, 2, Shape::TwoSided));
}
