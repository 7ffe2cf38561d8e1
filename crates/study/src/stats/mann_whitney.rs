//! The rank-sum test of Mann and Whitney (1947).

use super::ranks::doubled_ranks;
use super::real;

/// The result of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MannWhitney {
    /// The statistic of the first sample: in how many of all pairs its number is larger, where
    /// equal numbers count half.
    pub u: f64,
    /// The probability of such a difference or a larger one, in either direction, if both samples
    /// come from one distribution.
    pub p: f64,
    /// Whether `p` is exact; otherwise it is that of the normal approximation, corrected for ties
    /// and continuity.
    pub exact: bool,
}

/// Up to this many numbers in both samples together, all assignments of ranks are counted. The
/// counts stay below 2^53, so they are exact.
const EXACT_MAX: usize = 50;

/// Performs the two-sided test. None if one of the samples is empty.
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Option<MannWhitney> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    let ranks = doubled_ranks(&all);
    let doubled_sum: usize = ranks[..first.len()].iter().sum();
    let u = (real(doubled_sum) - real(first.len() * (first.len() + 1))) / 2.0;
    let exact = all.len() <= EXACT_MAX;
    let p = if exact {
        exact_p(&ranks, first.len(), doubled_sum)
    } else {
        approximate_p(&ranks, first.len(), u)
    };
    Some(MannWhitney { u, p, exact })
}

/// Of all ways to assign `size` of these ranks to the first sample, counts those with at most and
/// at least the observed sum. Ties need no correction: their shared ranks are assigned as they are.
fn exact_p(ranks: &[usize], size: usize, seen: usize) -> f64 {
    let most: usize = ranks.iter().sum();
    // ways[k][s]: how many sets of k of the ranks so far have the sum s.
    let mut ways = vec![vec![0.0_f64; most + 1]; size + 1];
    ways[0][0] = 1.0;
    for rank in ranks {
        for chosen in (1..=size).rev() {
            let (fewer, more) = ways.split_at_mut(chosen);
            let (without, with) = (&fewer[chosen - 1], &mut more[0]);
            for sum in *rank..=most {
                with[sum] += without[sum - rank];
            }
        }
    }
    let all: f64 = ways[size].iter().sum();
    let at_most: f64 = ways[size][..=seen].iter().sum();
    let at_least: f64 = ways[size][seen..].iter().sum();
    (2.0 * at_most.min(at_least) / all).min(1.0)
}

fn approximate_p(ranks: &[usize], size: usize, u: f64) -> f64 {
    let (all, first) = (real(ranks.len()), real(size));
    let second = all - first;
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    let ties = sorted.chunk_by(|left, right| left == right).map(|tie| real(tie.len()));
    let ties: f64 = ties.map(|tie| tie.powi(3) - tie).sum();
    let variance = first * second / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let distance = ((u - first * second / 2.0).abs() - 0.5).max(0.0);
    2.0 * upper_tail(distance / variance.sqrt())
}

/// The probability that a standard normal number is larger than `z`, for non-negative `z`.
fn upper_tail(z: f64) -> f64 {
    complementary_error(z / std::f64::consts::SQRT_2) / 2.0
}

/// `erfc` for non-negative numbers: its series for small ones, its continued fraction (Abramowitz
/// and Stegun 7.1.5 and 7.1.14) for large ones, both to the precision of the type.
fn complementary_error(x: f64) -> f64 {
    let scale = (-x * x).exp() / std::f64::consts::PI.sqrt();
    if x < 2.0 {
        let mut term = 2.0 * x * scale;
        let mut sum = term;
        let mut at = 0.5;
        while term > sum * f64::EPSILON {
            at += 1.0;
            term *= x * x / at;
            sum += term;
        }
        1.0 - sum
    } else {
        let fraction = (1..=120).rev().fold(x, |below, at| x + real(at) / 2.0 / below);
        scale / fraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mann and Whitney's table: for samples of 4 and 4, U <= 0 has a one-sided probability of
    /// 1/70.
    #[test]
    fn samples_that_do_not_overlap_have_the_published_probability() {
        let test = mann_whitney(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]).unwrap();
        assert!(test.exact);
        assert!((test.u, test.p) == (0.0, 2.0 / 70.0), "{test:?}");
    }

    #[test]
    fn constants_do_not_differ() {
        for size in [3, 40] {
            let test = mann_whitney(&vec![1.0; size], &vec![1.0; size]).unwrap();
            assert!((test.p - 1.0).abs() < 1e-12, "{test:?}");
        }
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }

    #[test]
    fn both_branches_of_the_error_function_agree() {
        let (below, above) = (complementary_error(2.0 - 1e-12), complementary_error(2.0));
        assert!((below - above).abs() < 1e-12, "{below} {above}");
        // Abramowitz and Stegun, Table 7.1.
        assert!((complementary_error(0.5) - 0.479_500_122_2).abs() < 1e-9);
    }
}
