//! Whether coverage grows with the number of bugs that are found: the second half of the paper's Q.1.

use metacov_core::Cover;
use metacov_core::Rng;
use serde::{Deserialize, Serialize};

use crate::stats::{pearson, spearman};

/// What the pair that shows a bug ran, and what its sides differ in.
#[derive(Clone, Debug)]
pub struct BugCovers {
    /// What any side ran.
    pub executed: Cover,
    /// What one side ran and the other did not.
    pub difference: Cover,
}

/// A measure against the number of bugs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Against {
    /// For each set of bugs: how many there are, and the measure in percent of all code.
    pub points: Vec<(f64, f64)>,
    /// Pearson's correlation: the paper's "PCC".
    pub pearson: Option<f64>,
    /// Spearman's.
    pub spearman: Option<f64>,
}

/// Both measures against the number of bugs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correlation {
    /// Coverage.
    pub coverage: Against,
    /// Metamorphic coverage.
    pub mc: Against,
}

/// Draws sets of bugs of each size, so many of each, and measures them (the paper, Q.1, "Bug
/// correlation"). Only what is in `counted` counts, such as all lines.
///
/// That both grow with the number of pairs is no finding: unions do. How evenly they grow is one.
pub fn correlation(
    bugs: &[BugCovers],
    counted: &Cover,
    repetitions: usize,
    seed: u64,
) -> Correlation {
    let mut rng = Rng::new(seed);
    let mut order: Vec<usize> = (0..bugs.len()).collect();
    let (mut coverage, mut mc) = (Against::default(), Against::default());
    for _ in 0..repetitions {
        for size in 1..=bugs.len() {
            for at in 0..size {
                order.swap(at, rng.between(at, bugs.len() - 1));
            }
            let drawn = || order[..size].iter().map(|at| &bugs[*at]);
            let percent = |covers: &mut dyn Iterator<Item = &Cover>| {
                let mut union = counted.clone();
                union.clear();
                covers.for_each(|cover| union |= cover);
                union &= counted;
                100.0 * real(union.len()) / real(counted.len().max(1))
            };
            let count = real(size as u64);
            coverage.points.push((count, percent(&mut drawn().map(|bug| &bug.executed))));
            mc.points.push((count, percent(&mut drawn().map(|bug| &bug.difference))));
        }
    }
    for against in [&mut coverage, &mut mc] {
        against.pearson = pearson(&against.points);
        against.spearman = spearman(&against.points);
    }
    Correlation { coverage, mc }
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^32 sites")]
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_evenly_correlates_perfectly_and_what_does_not_grow_not_at_all() {
        let bug = |line: usize| BugCovers {
            executed: Cover::from([1, 2, 3]),
            difference: Cover::from([line]),
        };
        let bugs: Vec<BugCovers> = (1..=5).map(bug).collect();
        let all = Cover::from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        let found = correlation(&bugs, &all, 3, 1);
        assert_eq!(found.mc.points.len(), 15);
        assert!((found.mc.pearson.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(found.coverage.pearson, None);
        assert_eq!(found.coverage.points[0], (1.0, 30.0));
        assert_eq!(found, correlation(&bugs, &all, 3, 1), "a seed is a result");
    }
}
