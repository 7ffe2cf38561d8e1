//! The laws of the algebra, for any covers.

use metacov_core::{
    BranchKey, Cover, Element, Group, Operation, Pair, Reading, Site, SiteId, SiteState, SiteTable,
    Symbol, Tally,
};
use proptest::prelude::*;

/// How many sites the covers below are drawn from: several words of bits, the last one partial.
const SITES: u32 = 150;

/// A table of that many lines.
fn table() -> (SiteTable, Vec<SiteId>) {
    let mut table = SiteTable::new();
    let file = table.file("a.c");
    let ids = (1..=SITES)
        .map(|line| table.site(Site { file, line, element: Element::Line, instance: Symbol::NONE }))
        .collect();
    (table, ids)
}

/// The sites that a side ran.
fn runs() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..SITES as usize, 0..60)
}

fn cover(table: &SiteTable, ids: &[SiteId], runs: &[usize]) -> Cover {
    let mut cover = Cover::of(table);
    for at in runs {
        cover.insert(ids[*at]);
    }
    cover
}

fn reading(table: &SiteTable, ids: &[SiteId], runs: &[usize]) -> Reading {
    let all: Vec<usize> = (0..ids.len()).collect();
    let mut reading = Reading::of(table);
    reading.executed = cover(table, ids, runs);
    reading.known = cover(table, ids, &all);
    reading
}

fn group(table: &SiteTable, ids: &[SiteId], sides: &[Vec<usize>]) -> Group<Reading> {
    Group::new(sides.iter().map(|runs| reading(table, ids, runs)).collect()).unwrap()
}

fn union(left: &Cover, right: &Cover) -> Cover {
    Pair { a: left.clone(), b: right.clone() }.union()
}

fn difference(left: &Cover, right: &Cover) -> Cover {
    Pair { a: left.clone(), b: right.clone() }.difference()
}

proptest! {
    #[test]
    fn a_cover_contains_the_inserted_sites(runs in runs()) {
        let (table, ids) = table();
        let cover = cover(&table, &ids, &runs);
        let mut expected: Vec<SiteId> = runs.iter().map(|at| ids[*at]).collect();
        expected.sort_unstable();
        expected.dedup();
        prop_assert_eq!(cover.iter().collect::<Vec<_>>(), expected.clone());
        prop_assert_eq!(cover.len(), expected.len() as u64);
        prop_assert_eq!(cover.is_empty(), expected.is_empty());
    }

    #[test]
    fn difference_is_commutative_and_associative_and_its_own_inverse(a in runs(), b in runs(), c in runs()) {
        let (table, ids) = table();
        let [a, b, c] = [a, b, c].map(|runs| cover(&table, &ids, &runs));
        prop_assert_eq!(difference(&a, &b), difference(&b, &a));
        prop_assert_eq!(difference(&difference(&a, &b), &c), difference(&a, &difference(&b, &c)));
        prop_assert_eq!(difference(&difference(&a, &b), &b), a.clone());
        prop_assert!(difference(&a, &a).is_empty());
        prop_assert_eq!(difference(&a, &Cover::of(&table)), a);
    }

    #[test]
    fn difference_is_union_without_intersection(a in runs(), b in runs()) {
        let (table, ids) = table();
        let pair = Pair { a, b }.map(|runs| cover(&table, &ids, &runs));
        let mut expected = pair.union();
        expected -= &pair.intersection();
        prop_assert_eq!(pair.difference(), expected);
        prop_assert!(pair.difference().is_subset(&pair.union()));
        prop_assert_eq!(
            pair.difference().len(),
            pair.a.len() + pair.b.len() - 2 * pair.intersection().len()
        );
    }

    /// The setup rule: with shared setup S, `(A|S) ^ (B|S) = (A ^ B) - S`.
    #[test]
    fn shared_setup_drops_out(a in runs(), b in runs(), s in runs()) {
        let (table, ids) = table();
        let [a, b, s] = [a, b, s].map(|runs| cover(&table, &ids, &runs));
        let mut expected = difference(&a, &b);
        expected -= &s;
        prop_assert_eq!(difference(&union(&a, &s), &union(&b, &s)), expected);
    }

    /// Flaky sites are those that ran in some repetitions and not in all, in any order.
    #[test]
    fn repetitions_that_agree_are_not_flaky(repetitions in prop::collection::vec(runs(), 1..5)) {
        let (table, ids) = table();
        let readings: Vec<Reading> =
            repetitions.iter().map(|runs| reading(&table, &ids, runs)).collect();
        let mut all = readings[0].clone();
        readings[1..].iter().for_each(|other| all.repeat(other));
        for (at, id) in ids.iter().enumerate() {
            let ran = repetitions.iter().filter(|runs| runs.contains(&at)).count();
            prop_assert_eq!(all.executed.contains(*id), ran > 0);
            prop_assert_eq!(all.flaky.contains(*id), ran > 0 && ran < repetitions.len());
        }
    }

    #[test]
    fn a_group_is_all_its_pairs(sides in prop::collection::vec(runs(), 2..6)) {
        let (table, ids) = table();
        let covers = Group::new(sides.iter().map(|runs| cover(&table, &ids, runs)).collect()).unwrap();
        let mut expected = Cover::of(&table);
        for pair in covers.pairs() {
            expected |= &pair.map(Clone::clone).difference();
        }
        prop_assert_eq!(covers.difference(), expected);
        prop_assert_eq!(covers.pairs().count() as u64, covers.pair_count());
    }

    /// A tally of a group is the tally of all its pairs: the same states, counts and pairs.
    #[test]
    fn folding_a_group_is_folding_its_pairs(sides in prop::collection::vec(runs(), 2..6)) {
        let (table, ids) = table();
        let group = group(&table, &ids, &sides);
        let (mut whole, mut pairwise) = (Tally::of(&table), Tally::of(&table));
        whole.add(&group, Operation::Xor);
        for pair in group.pairs() {
            pairwise.add(&Group::from(pair.map(Clone::clone)), Operation::Xor);
        }
        prop_assert_eq!(whole.pairs, pairwise.pairs);
        for id in ids {
            prop_assert_eq!(whole.state(id), pairwise.state(id));
            prop_assert_eq!(whole.count_of(id), pairwise.count_of(id));
        }
    }

    #[test]
    fn folding_is_commutative_and_splits_anywhere(
        pairs in prop::collection::vec((runs(), runs()), 1..8),
        at in any::<prop::sample::Index>(),
    ) {
        let (table, ids) = table();
        let fold = |pairs: &mut dyn Iterator<Item = &(Vec<usize>, Vec<usize>)>| {
            let mut tally = Tally::of(&table);
            for (a, b) in pairs {
                tally.add(&group(&table, &ids, &[a.clone(), b.clone()]), Operation::Xor);
            }
            tally
        };
        let whole = fold(&mut pairs.iter());
        prop_assert_eq!(&whole.mc_sites(), &fold(&mut pairs.iter().rev()).mc_sites());
        let (left, right) = pairs.split_at(at.index(pairs.len()));
        let (left, right) = (fold(&mut left.iter()), fold(&mut right.iter()));
        let (mut one, mut other) = (left.clone(), right.clone());
        one.merge(&right);
        other.merge(&left);
        for tally in [one, other] {
            prop_assert_eq!(tally.pairs, whole.pairs);
            prop_assert_eq!(tally.vacuous, whole.vacuous);
            for id in &ids {
                prop_assert_eq!(tally.state(*id), whole.state(*id));
                prop_assert_eq!(tally.count_of(*id), whole.count_of(*id));
            }
        }
    }

    /// The result of each operation, by its definition, and the states of its sites.
    #[test]
    fn counts_follow_the_operation_and_states_follow_the_sides(a in runs(), b in runs()) {
        let (table, ids) = table();
        for operation in Operation::ALL {
            let mut tally = Tally::of(&table);
            tally.add(&group(&table, &ids, &[a.clone(), b.clone()]), operation);
            for (at, id) in ids.iter().enumerate() {
                let (in_a, in_b) = (a.contains(&at), b.contains(&at));
                let selected = match operation {
                    Operation::Xor => in_a != in_b,
                    Operation::Sub => in_a && !in_b,
                    Operation::And => in_a && in_b,
                    Operation::Or => in_a || in_b,
                };
                prop_assert_eq!(tally.count_of(*id), u32::from(selected));
                let state = match (in_a, in_b) {
                    (true, true) => SiteState::Both,
                    (true, false) => SiteState::AOnly,
                    (false, true) => SiteState::BOnly,
                    (false, false) => SiteState::NotExecuted,
                };
                prop_assert_eq!(tally.state(*id), state);
            }
        }
    }

    #[test]
    fn runs_are_the_cover(runs in runs(), others in runs()) {
        let (table, ids) = table();
        let [first, second] = [runs, others].map(|runs| cover(&table, &ids, &runs));
        let mut flipped = second.clone();
        let mut end = None;
        for run in first.runs() {
            prop_assert!(run.start < run.end && end.is_none_or(|end| end < run.start));
            end = Some(run.end);
            flipped.flip(run);
        }
        prop_assert_eq!(flipped, difference(&first, &second));
    }

    /// Two tables with the same sites in different orders are the same build, and covers keep their
    /// meaning when they are renumbered.
    #[test]
    fn a_table_absorbs_another_in_any_order(
        left in prop::collection::vec(site(), 0..40),
        right in prop::collection::vec(site(), 0..40),
    ) {
        let (first, _) = table_of(left.iter().chain(&right));
        let (mut united, _) = table_of(left.iter());
        let (other, ids) = table_of(right.iter());
        let cover: Cover = {
            let mut cover = Cover::of(&other);
            ids.iter().step_by(2).for_each(|id| { cover.insert(*id); });
            cover
        };
        let numbers = united.absorb(&other).unwrap();
        prop_assert_eq!(united.build_id(), first.build_id());
        let moved = numbers.cover(cover.clone());
        let shown = |table: &SiteTable, cover: &Cover| -> Vec<String> {
            let mut sites: Vec<String> = cover.iter().map(|id| show(table, id)).collect();
            sites.sort();
            sites
        };
        prop_assert_eq!(shown(&other, &cover), shown(&united, &moved));
    }
}

/// A site as plain values: file, line, element, name.
type Words = (u8, u32, u8, u8);

fn site() -> impl Strategy<Value = Words> {
    (0..3u8, 1..6u32, 0..5u8, 0..3u8)
}

fn table_of<'w>(sites: impl Iterator<Item = &'w Words>) -> (SiteTable, Vec<SiteId>) {
    let mut table = SiteTable::new();
    let mut ids = Vec::new();
    for (file, line, element, name) in sites {
        let file = table.file(&format!("{file}.c"));
        let name = table.symbol(&format!("name{name}"));
        let element = match element {
            0 => Element::Line,
            1 => Element::Function(name),
            2 => Element::Branch(BranchKey::Label { block: 0, name }),
            3 => Element::Block { function: name, number: 5 },
            _ => Element::Branch(BranchKey::Position(7)),
        };
        ids.push(table.site(Site { file, line: *line, element, instance: Symbol::NONE }));
    }
    (table, ids)
}

fn show(table: &SiteTable, id: SiteId) -> String {
    let site = table.get(id);
    let name = match site.element {
        Element::Function(name)
        | Element::Branch(BranchKey::Label { name, .. })
        | Element::Block { function: name, .. } => table.name(name),
        _ => "",
    };
    format!("{}:{} {} {name}", table.path(site.file), site.line, site.criterion())
}

/// The union of differences is not the difference of unions, which is why suites are folded pair by
/// pair.
#[test]
fn the_union_of_differences_is_not_the_difference_of_unions() {
    let first = Pair { a: Cover::from([1]), b: Cover::from([2]) };
    let second = Pair { a: Cover::from([2]), b: Cover::from([1]) };
    let of_differences = union(&first.difference(), &second.difference());
    let of_unions = difference(&union(&first.a, &second.a), &union(&first.b, &second.b));
    assert_eq!(of_differences, Cover::from([1, 2]));
    assert!(of_unions.is_empty());
}

#[test]
#[should_panic(expected = "share one site table")]
fn covers_of_different_tables_do_not_mix() {
    let mut cover = Cover::of(&SiteTable::new());
    cover |= &Cover::of(&SiteTable::new());
}

/// Ten million sites: a table of them fits, and so do their covers.
#[test]
fn ten_million_sites_fit() {
    let mut table = SiteTable::new();
    let file = table.file("big.c");
    let site = |line| Site { file, line, element: Element::Line, instance: Symbol::NONE };
    let (mut a, mut b) = (Cover::of(&table), Cover::of(&table));
    for line in 1..=10_000_000 {
        let id = table.site(site(line));
        if line % 2 == 0 {
            a.insert(id)
        } else {
            b.insert(id)
        };
    }
    // A second report lists the same sites in the same order.
    assert!((1..=10_000_000).all(|line| table.site(site(line)).index() == line as usize - 1));
    assert_eq!(Pair { a, b }.difference().len(), 10_000_000);
}
