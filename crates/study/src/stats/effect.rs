//! Effect sizes: how much larger one sample is than another.

use super::real;

/// Vargha and Delaney's `A12` (2000): the probability that a number of the first sample is larger
/// than one of the second, where equal numbers count half. 0.5 means no difference, 1 that all are
/// larger. None if one of the samples is empty.
pub fn a12(first: &[f64], second: &[f64]) -> Option<f64> {
    let pairs = first.len() * second.len();
    // Twice the count, so that halves are integers.
    let doubled: usize = first
        .iter()
        .flat_map(|one| {
            second.iter().map(move |other| usize::from(one > other) + usize::from(one >= other))
        })
        .sum();
    (pairs > 0).then(|| real(doubled) / (2.0 * real(pairs)))
}

/// The usual names of effect sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Magnitude {
    /// Under 0.56 (and over 0.44).
    Negligible,
    /// From 0.56.
    Small,
    /// From 0.64.
    Medium,
    /// From 0.71.
    Large,
}

impl Magnitude {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Magnitude::Negligible => "negligible",
            Magnitude::Small => "small",
            Magnitude::Medium => "medium",
            Magnitude::Large => "large",
        }
    }
}

/// Returns the magnitude of an effect in either direction, by the thresholds of Vargha and Delaney.
pub fn magnitude(a12: f64) -> Magnitude {
    match (a12 - 0.5).abs() + 0.5 {
        size if size >= 0.71 => Magnitude::Large,
        size if size >= 0.64 => Magnitude::Medium,
        size if size >= 0.56 => Magnitude::Small,
        _ => Magnitude::Negligible,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_have_one_magnitude() {
        let (low, high) = ([1.0, 2.0, 3.0], [3.0, 4.0, 5.0]);
        let (up, down) = (a12(&high, &low).unwrap(), a12(&low, &high).unwrap());
        assert!((up - 8.5 / 9.0).abs() < 1e-12 && (up + down - 1.0).abs() < 1e-12);
        assert_eq!((magnitude(up), magnitude(down)), (Magnitude::Large, Magnitude::Large));
        assert_eq!(magnitude(0.5), Magnitude::Negligible);
        assert_eq!(a12(&[], &high), None);
    }
}
