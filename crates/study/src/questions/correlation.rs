//! Whether coverage grows with the number of bugs found: the second half of the paper's Q.1.

use metacov_core::Cover;
use metacov_core::Rng;
use serde::{Deserialize, Serialize};

use crate::stats::{pearson, spearman};

/// The covers of the pair that shows a bug.
#[derive(Clone, Debug)]
pub struct BugCovers {
    /// The sites that any side ran.
    pub executed: Cover,
    /// The sites that one side ran and the other did not.
    pub difference: Cover,
}

/// A measure in relation to the number of bugs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Against {
    /// For each set of bugs: their number, and the measure in percent of all code.
    pub points: Vec<(f64, f64)>,
    /// Pearson's correlation: the paper's "PCC".
    pub pearson: Option<f64>,
    /// Spearman's correlation.
    pub spearman: Option<f64>,
}

/// Both measures in relation to the number of bugs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correlation {
    /// Coverage.
    pub coverage: Against,
    /// Metamorphic coverage.
    pub mc: Against,
}

/// Draws sets of bugs of each size, and measures them (the paper, Q.1, "Bug correlation"). Only the
/// sites in `counted` count, such as all lines.
///
/// That both grow with the number of pairs is not a finding: unions do. How evenly they grow is
/// one.
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
    fn even_growth_correlates_perfectly_and_no_growth_not_at_all() {
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
