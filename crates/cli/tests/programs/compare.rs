//! Compares metacov's measurement with gcov's report.

use std::collections::BTreeSet;

use crate::elements::Element;
use crate::gcov::Report;
use crate::measured::Measured;

/// How many elements of each mismatch are listed.
const NAMED_MAX: usize = 20;

/// Unstable elements are ignored; there may be one for this many executed elements.
const STABLE_PER_UNSTABLE: usize = 100;

pub type Set = BTreeSet<Element>;

/// The elements that gcov itself does not report consistently; there must be few of them.
pub fn unstable(what: &str, expected: &Report) -> Set {
    let sides = || expected.values().flatten();
    let unstable: Set = sides().flat_map(|side| &side.unstable).cloned().collect();
    let executed: Set = sides().flat_map(|side| &side.side.executed).cloned().collect();
    let (few, all) = (unstable.len(), executed.len());
    let names: Vec<_> = unstable.iter().map(ToString::to_string).collect();
    assert!(
        few * STABLE_PER_UNSTABLE < all,
        "{what}: {few} of {all} elements are unstable in gcov:\n    {}",
        names.join("\n    ")
    );
    unstable
}

/// Compares the sides of all pairs, their differences and the union of these, without unstable
/// elements. Returns the mismatches as messages.
pub fn mismatches(
    what: &str,
    measured: &Measured,
    expected: &Report,
    unstable: &Set,
) -> Vec<String> {
    let mut report = Mismatches { what: what.to_owned(), messages: Vec::new() };
    if !measured.keys().eq(expected.keys()) {
        report.messages.push(format!("{what}: other pairs"));
        return report.messages;
    }
    let stable = |set: &Set| set.difference(unstable).cloned().collect::<Set>();
    let mut unions = [Set::new(), Set::new()];
    for (name, sides) in measured {
        let expected = &expected[name];
        for ((side, measured), expected) in ["a", "b"].iter().zip(sides).zip(expected) {
            let place = format!("{name}/{side}");
            let known = [&measured.known, &expected.side.known].map(stable);
            report.compare(&place, "known", known);
            let executed = [&measured.executed, &expected.side.executed].map(stable);
            report.compare(&place, "executed", executed);
        }
        let [a, b] = sides;
        let [expected_a, expected_b] = expected;
        let difference = |a: &Set, b: &Set| stable(&a.symmetric_difference(b).cloned().collect());
        let differences = [
            difference(&a.executed, &b.executed),
            difference(&expected_a.side.executed, &expected_b.side.executed),
        ];
        assert!(!differences[1].is_empty(), "{what}: {name}: the sides run the same");
        for (union, difference) in unions.iter_mut().zip(&differences) {
            union.extend(difference.iter().cloned());
        }
        report.compare(name, "in the difference", differences);
    }
    report.compare("all pairs", "in the union of differences", unions);
    report.messages
}

struct Mismatches {
    what: String,
    messages: Vec<String>,
}

impl Mismatches {
    /// Records the elements that only one of metacov and gcov has.
    fn compare(&mut self, place: &str, which: &str, [measured, expected]: [Set; 2]) {
        for (one, other, who) in [(&measured, &expected, "metacov"), (&expected, &measured, "gcov")]
        {
            let only: Vec<_> = one.difference(other).collect();
            if only.is_empty() {
                continue;
            }
            let named: Vec<_> = only.iter().take(NAMED_MAX).map(ToString::to_string).collect();
            self.messages.push(format!(
                "{}: {place}: {} of {} elements are {which} only for {who}:\n    {}",
                self.what,
                only.len(),
                one.len(),
                named.join("\n    ")
            ));
        }
    }
}
