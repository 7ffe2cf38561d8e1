//! Correction for several comparisons (Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure").

use super::real;

/// Adjusts the probabilities of a family of tests, in their order: below a level, such as 0.05, are those that Holm's
/// procedure rejects at that level. The chance of one wrong rejection among all of them is at most the level.
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|left, right| probabilities[*left].total_cmp(&probabilities[*right]));
    let mut adjusted = vec![1.0; probabilities.len()];
    let mut least = 0.0_f64;
    for (place, at) in order.into_iter().enumerate() {
        let tests_left = real(probabilities.len() - place);
        least = least.max((probabilities[at] * tests_left).min(1.0));
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(ours: &[f64], expected: &[f64]) {
        assert_eq!(ours.len(), expected.len());
        for (ours, expected) in ours.iter().zip(expected) {
            assert!((ours - expected).abs() < 1e-12, "{ours} {expected}");
        }
    }

    /// statsmodels 0.15: `multipletests([0.01, 0.04, 0.03, 0.005, 0.55, 0.2], method="holm")[1]`.
    #[test]
    fn adjusted_probabilities_are_those_of_statsmodels() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005, 0.55, 0.2]);
        assert_close(&adjusted, &[0.05, 0.12, 0.12, 0.03, 0.55, 0.4]);
    }

    /// The procedure itself: from the smallest on, reject while p is at most level / tests left.
    #[test]
    fn rejected_is_what_the_procedure_rejects() {
        let probabilities = [0.021, 0.0004, 0.3, 0.012, 0.012, 0.049, 0.9, 0.0];
        for level in [0.001, 0.01, 0.05, 0.1, 0.3] {
            let mut sorted = probabilities;
            sorted.sort_by(f64::total_cmp);
            let tests = probabilities.len();
            let rejects = |place: usize| sorted[place] <= level / real(tests - place);
            let rejected = (0..tests).take_while(|place| rejects(*place)).count();
            let ours = holm(&probabilities).into_iter().filter(|p| *p <= level).count();
            assert_eq!(ours, rejected, "{level}");
        }
    }

    #[test]
    fn one_test_is_left_as_it_is() {
        assert_close(&holm(&[0.04]), &[0.04]);
        assert_close(&holm(&[]), &[]);
        assert_close(&holm(&[0.9, 0.8]), &[1.0, 1.0]);
    }
}
