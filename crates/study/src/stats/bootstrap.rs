//! Confidence intervals by resampling (Efron 1979).

use metacov_core::Rng;

/// A range that contains the true value with a confidence of 95 %, estimated from the sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The parameters of resampling.
#[derive(Clone, Copy, Debug)]
pub struct Bootstrap {
    /// The seed: the same seed gives the same interval.
    pub seed: u64,
    /// The number of draws.
    pub draws: usize,
}

impl Default for Bootstrap {
    /// Enough draws for two digits of a percentage.
    fn default() -> Self {
        Bootstrap { seed: 1, draws: 10_000 }
    }
}

/// The share that is cut off at each end.
const TAIL: f64 = 0.025;

impl Bootstrap {
    /// Returns the percentile interval of a statistic of `count` units (suites, for example): as
    /// many of them are drawn with repetition, and their indices are passed to the statistic.
    /// Values of one unit stay together, such as the relations of a suite, which ran on the same
    /// databases. None for fewer than two units, or if the statistic is undefined in any draw: an
    /// interval over only the defined draws would be too narrow.
    pub fn interval(
        &self,
        count: usize,
        statistic: impl Fn(&[usize]) -> Option<f64>,
    ) -> Option<Interval> {
        if count < 2 {
            return None;
        }
        let mut rng = Rng::new(self.seed);
        let mut drawn = vec![0; count];
        let mut values = Vec::with_capacity(self.draws);
        for _ in 0..self.draws {
            drawn.fill_with(|| rng.below(count));
            values.push(statistic(&drawn)?);
        }
        values.sort_by(f64::total_cmp);
        Some(Interval { low: quantile(&values, TAIL)?, high: quantile(&values, 1.0 - TAIL)? })
    }

    /// Returns the same interval for a sample's mean.
    pub fn of_mean(&self, sample: &[f64]) -> Option<Interval> {
        self.interval(sample.len(), |drawn| {
            Some(drawn.iter().map(|at| sample[*at]).sum::<f64>() / super::real(drawn.len()))
        })
    }
}

/// The value below which this share of the sorted values lies, with linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * super::real(sorted.len().checked_sub(1)?);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in the list"
    )]
    let below = place.floor() as usize;
    let (low, high) = (sorted[below], sorted[(below + 1).min(sorted.len() - 1)]);
    Some(low + (high - low) * (place - place.floor()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_mean(sample: &[f64], seed: u64) -> Option<Interval> {
        Bootstrap { seed, draws: 2_000 }.of_mean(sample)
    }

    #[test]
    fn a_seed_determines_the_interval() {
        let sample = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
        assert_eq!(of_mean(&sample, 7), of_mean(&sample, 7));
        assert_ne!(of_mean(&sample, 7), of_mean(&sample, 8));
    }

    #[test]
    fn a_constant_has_an_empty_interval_and_one_number_none() {
        assert_eq!(of_mean(&[2.0, 2.0, 2.0], 1), Some(Interval { low: 2.0, high: 2.0 }));
        assert_eq!(of_mean(&[2.0], 1), None);
    }

    /// For 300 samples of uniform numbers, the interval contains the true mean about as often as it
    /// claims; the percentile interval of 20 numbers is known to be slightly narrow.
    #[test]
    fn the_interval_contains_the_true_mean_about_as_often_as_it_claims() {
        let mut rng = Rng::new(3);
        let mut held = 0;
        for seed in 0..300 {
            let sample: Vec<f64> = (0..20).map(|_| f64::from(rng.number(0, 1000))).collect();
            let interval = Bootstrap { seed, draws: 400 }.of_mean(&sample).unwrap();
            held += usize::from(interval.low <= 500.0 && 500.0 <= interval.high);
        }
        assert!((270..=297).contains(&held), "{held} of 300");
    }
}
