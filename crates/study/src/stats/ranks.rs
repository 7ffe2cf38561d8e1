//! Ranks of numbers.

/// Twice the rank of each number, from one; equal numbers share the mean of their ranks. Doubled
/// means are integers, so that sums of ranks are exact.
pub(super) fn doubled_ranks(numbers: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|left, right| numbers[*left].total_cmp(&numbers[*right]));
    let mut ranks = vec![0; numbers.len()];
    let mut before = 0;
    for equals in order.chunk_by(|left, right| numbers[*left].total_cmp(&numbers[*right]).is_eq()) {
        // The ranks before + 1 to before + n have the mean before + (n + 1) / 2.
        for at in equals {
            ranks[*at] = 2 * before + equals.len() + 1;
        }
        before += equals.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_share_their_mean_rank() {
        assert_eq!(doubled_ranks(&[3.0, 1.0, 3.0, 7.0, 3.0]), [6, 2, 6, 10, 6]);
    }
}
