//! The correlation of two measures.

use super::ranks::doubled_ranks;
use super::{mean, real};

/// Pearson's product-moment correlation, from -1 to 1 (the paper, Q.1, "PCC"). None without points,
/// or if one of the two does not vary.
pub fn pearson(points: &[(f64, f64)]) -> Option<f64> {
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let (mean_x, mean_y) = (mean(&xs)?, mean(&ys)?);
    let sum = |product: fn(f64, f64) -> f64| -> f64 {
        points.iter().map(|(x, y)| product(x - mean_x, y - mean_y)).sum()
    };
    let (covariance, in_x, in_y) = (sum(|x, y| x * y), sum(|x, _| x * x), sum(|_, y| y * y));
    let varies = in_x > 0.0 && in_y > 0.0;
    varies.then(|| (covariance / (in_x.sqrt() * in_y.sqrt())).clamp(-1.0, 1.0))
}

/// Spearman's rank correlation: Pearson's of the ranks, where equal numbers share theirs.
pub fn spearman(points: &[(f64, f64)]) -> Option<f64> {
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let ranks = doubled_ranks(&xs).into_iter().zip(doubled_ranks(&ys));
    pearson(&ranks.map(|(x, y)| (real(x), real(y))).collect::<Vec<_>>())
}

/// Kendall's rank correlation, tau-b (Kendall 1945), which corrects for equal numbers: of all pairs of points, how many
/// more are in the same order in both than are not, as a share of those that have an order.
pub fn kendall(points: &[(f64, f64)]) -> Option<f64> {
    let (mut surplus, mut ordered_x, mut ordered_y) = (0.0, 0.0_f64, 0.0_f64);
    for (at, (x, y)) in points.iter().enumerate() {
        for (other_x, other_y) in &points[at + 1..] {
            let sign = |of: f64, other: f64| f64::from(i8::from(of > other) - i8::from(of < other));
            let (in_x, in_y) = (sign(*x, *other_x), sign(*y, *other_y));
            surplus += in_x * in_y;
            ordered_x += in_x.abs();
            ordered_y += in_y.abs();
        }
    }
    let varies = ordered_x > 0.0 && ordered_y > 0.0;
    varies.then(|| (surplus / (ordered_x * ordered_y).sqrt()).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Anscombe (1973), "Graphs in Statistical Analysis": the first and the fourth set, both
    /// published with r = 0.816.
    #[test]
    fn anscombes_sets_have_the_published_correlation() {
        let ys = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        let xs = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let first: Vec<_> = xs.into_iter().zip(ys).collect();
        let ys = [6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89];
        let xs = [8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 19.0, 8.0, 8.0, 8.0];
        let fourth: Vec<_> = xs.into_iter().zip(ys).collect();
        for set in [first, fourth] {
            assert!((pearson(&set).unwrap() - 0.8164).abs() < 2e-4, "{:?}", pearson(&set));
        }
    }

    #[test]
    fn a_constant_correlates_with_nothing() {
        assert_eq!(pearson(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(spearman(&[]), None);
        assert_eq!(kendall(&[(1.0, 2.0), (1.0, 3.0)]), None);
    }
}
