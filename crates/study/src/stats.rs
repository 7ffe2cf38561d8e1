//! Statistics of samples: small, pure, each with its source.
//!
//! A statistic that is not defined for a sample is `None`: there is no standard deviation of one
//! number and no correlation with a constant.

mod bootstrap;
mod correlation;
mod effect;
mod holm;
mod mann_whitney;
mod moments;
mod ranks;

pub use bootstrap::{Bootstrap, Interval};
pub use correlation::{kendall, pearson, spearman};
pub use effect::{Magnitude, a12, magnitude};
pub use holm::holm;
pub use mann_whitney::{MannWhitney, mann_whitney};
pub use moments::{coefficient_of_variation, mean, standard_deviation};

/// A count as a real number.
#[expect(clippy::cast_precision_loss, reason = "samples have fewer than 2^52 numbers")]
fn real(count: usize) -> f64 {
    count as f64
}
