//! The examples that the paper prints.

use metacov_core::{Cover, Group, Pair};

/// Listing 1 (lines 2 to 7), for the inputs that the text gives.
fn absolute_difference(x: i32, y: i32) -> Cover {
    if x > y { Cover::from([2, 3, 7]) } else { Cover::from([2, 5, 7]) }
}

/// Listing "An example of designing new metamorphic relations guided by MC": `abs`.
fn abs(x: i32) -> Cover {
    match x.signum() {
        -1 => Cover::from([2, 3]),
        0 => Cover::from([2, 4, 5]),
        _ => Cover::from([2, 4, 6, 7]),
    }
}

fn suite(pairs: impl IntoIterator<Item = (Cover, Cover)>) -> Cover {
    let mut total = Cover::default();
    for (a, b) in pairs {
        total |= &Pair { a, b }.difference();
    }
    total
}

#[test]
fn swapping_the_numbers_checks_both_returns() {
    let run = absolute_difference;
    let swapped = suite([(run(2, 3), run(3, 2)), (run(6, 2), run(2, 6))]);
    assert_eq!(swapped, Cover::from([3, 5]));
}

#[test]
fn adding_a_constant_checks_nothing() {
    let run = absolute_difference;
    let shifted = suite([(run(2, 3), run(3, 4)), (run(6, 2), run(7, 3))]);
    assert!(shifted.is_empty());
}

#[test]
fn the_second_relation_on_abs_covers_what_the_first_misses() {
    let first = suite([(abs(3), abs(-3)), (abs(0), abs(0))]);
    assert!(first.is_subset(&Cover::from([3, 4, 6, 7])));
    assert!(!first.iter().any(|site| site.index() == 5), "the bug's line is no MC site");
    let second = suite([(abs(3), abs(0)), (abs(-5), abs(0))]);
    assert!(second.iter().any(|site| site.index() == 5), "now it is");
}

#[test]
fn a_side_of_two_inputs_is_united_before_it_is_compared() {
    // YinYang fuses two seeds into one formula.
    let mut seeds = Cover::from([1, 2]);
    seeds |= &Cover::from([2, 3]);
    let fused = Cover::from([1, 2, 3, 4]);
    assert_eq!(Pair { a: seeds, b: fused }.difference(), Cover::from([4]));
}

#[test]
fn a_relation_of_three_inputs_is_compared_in_all_pairs() {
    let group = Group::new(vec![abs(-1), abs(0), abs(1)]).unwrap();
    assert_eq!(group.difference(), Cover::from([3, 4, 5, 6, 7]));
}
