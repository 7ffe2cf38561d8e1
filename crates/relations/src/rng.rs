//! Choices that a seed determines.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};

/// A stream of choices. The same seed gives the same choices, on any machine.
///
/// Only the stream of numbers comes from a library; what is made of a number is decided here, so that no new version
/// of a library changes the tests of a seed.
#[derive(Debug)]
pub struct Rng {
    stream: ChaCha8Rng,
}

impl Rng {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self { stream: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// 32 random bits.
    pub fn word(&mut self) -> u32 {
        (self.bits() >> 32) as u32
    }

    /// A number below `end`, all of them as likely. `end` is not zero.
    pub fn below(&mut self, end: usize) -> usize {
        debug_assert!(end > 0, "there is no number below zero");
        // The high half of a product is a number below `end`; the bias is less than 2^-32 for the small ends here.
        let product = u128::from(self.bits()) * end as u128;
        usize::try_from(product >> 64).unwrap_or_default()
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// A number from `low` to `high`, both included, to compute with.
    pub fn number(&mut self, low: i32, high: i32) -> i32 {
        let offset = self.below(high.abs_diff(low) as usize + 1);
        low + i32::try_from(offset).unwrap_or_default()
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// One of the items, all of them as likely. There is at least one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of the items, as likely as its weight says.
    pub fn weigh<T: Copy>(&mut self, items: &[(u32, T)]) -> T {
        let total: u32 = items.iter().map(|item| item.0).sum();
        let mut left = self.below(total as usize);
        for &(weight, item) in items {
            let weight = weight as usize;
            if left < weight {
                return item;
            }
            left -= weight;
        }
        items[items.len() - 1].1
    }

    /// A random part of the items, in their order: at least `least` of them (or all).
    pub fn subset<T: Clone>(&mut self, items: &[T], least: usize) -> Vec<T> {
        let mut chosen: Vec<bool> = items.iter().map(|_| self.chance(50)).collect();
        let mut missing =
            least.min(items.len()).saturating_sub(chosen.iter().filter(|&&is| is).count());
        while missing > 0 {
            let place = self.below(items.len());
            if !chosen[place] {
                chosen[place] = true;
                missing -= 1;
            }
        }
        items.iter().zip(chosen).filter(|(_, is)| *is).map(|(item, _)| item.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut rng = Rng::new(1);
        let numbers: Vec<usize> = (0..8).map(|_| rng.below(1000)).collect();
        assert_eq!(numbers, [402, 80, 596, 219, 283, 710, 461, 152]);
    }

    #[test]
    fn weights_are_kept() {
        let mut rng = Rng::new(7);
        let rare = (0..10_000).filter(|_| rng.weigh(&[(1, true), (9, false)])).count();
        assert!((800..1200).contains(&rare), "{rare} of 10000 at a weight of 1 in 10");
    }
}
