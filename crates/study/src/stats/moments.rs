//! Mean, standard deviation, coefficient of variation.

use super::real;

/// The arithmetic mean. None for an empty sample.
pub fn mean(sample: &[f64]) -> Option<f64> {
    (!sample.is_empty()).then(|| sample.iter().sum::<f64>() / real(sample.len()))
}

/// The standard deviation of a sample, with the divisor `n - 1`. None for fewer than two numbers.
pub fn standard_deviation(sample: &[f64]) -> Option<f64> {
    let mean = mean(sample)?;
    let squares: f64 = sample.iter().map(|number| (number - mean).powi(2)).sum();
    (sample.len() > 1).then(|| (squares / real(sample.len() - 1)).sqrt())
}

/// `CV = σ / μ` (the paper, Q.2), with the standard deviation of a sample, as in the paper's Table
/// "Coefficient of variation", which is computed from its Table of averages. None if the mean is
/// zero.
///
/// The paper applies it to the *means of the relations* of a program: how well a measure
/// distinguishes relations. Applied to the suites of one relation, it shows the influence of chance
/// on one suite.
pub fn coefficient_of_variation(sample: &[f64]) -> Option<f64> {
    let mean = mean(sample).filter(|mean| *mean != 0.0)?;
    Some(standard_deviation(sample)? / mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's averages of MC and of line coverage over ten suites, by relation, and the
    /// coefficients of variation that it states for them.
    #[test]
    fn the_papers_coefficients_follow_from_its_averages() {
        let published: [(&[f64], &str); 7] = [
            (&[21.84, 22.49, 22.61, 22.14, 22.79, 22.68], "0.02"), // SQLite, lines
            (&[1.96, 1.87, 1.42, 2.14, 2.56, 2.94], "0.25"),       // SQLite, MC
            (&[1.91, 1.83, 1.70, 1.70, 2.47, 1.59], "0.17"),       // SQLite, mutation score
            (&[3.37, 3.82, 3.45, 3.52, 4.31, 5.97], "0.24"),       // DuckDB, MC
            (&[3.27, 5.08], "0.31"),                               // TVM, MC
            (&[15.30, 17.53], "0.10"),                             // TVM, lines
            (&[22.89, 25.21, 19.67], "0.12"),                      // CVC4, lines
        ];
        for (averages, stated) in published {
            let cv = coefficient_of_variation(averages).unwrap();
            assert_eq!(format!("{cv:.2}"), stated, "{averages:?}");
        }
    }

    #[test]
    fn undefined_statistics_are_none() {
        assert_eq!(mean(&[]), None);
        assert_eq!(standard_deviation(&[1.0]), None);
        assert_eq!(coefficient_of_variation(&[-1.0, 1.0]), None);
        assert_eq!(standard_deviation(&[2.0, 2.0]), Some(0.0));
    }
}
