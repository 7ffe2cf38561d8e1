//! Random choices that a seed determines.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};
use serde::{Deserialize, Serialize};

/// A stream of random choices. The same seed gives the same choices, on any machine.
///
/// Only the stream of numbers comes from a library; how a number becomes a choice is defined here,
/// so that no new version of a library changes the tests of a seed.
#[derive(Debug)]
pub struct Rng {
    stream: ChaCha8Rng,
    drawn: u64,
    /// The remaining cuts, the next one last.
    cuts: Vec<Cut>,
}

impl Rng {
    /// Creates the stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self { stream: ChaCha8Rng::seed_from_u64(seed), drawn: 0, cuts: Vec::new() }
    }

    /// Creates the stream of a recipe.
    pub fn following(recipe: &Recipe) -> Self {
        let mut rng = Self::new(recipe.seed);
        rng.cuts = recipe.cuts.iter().rev().copied().collect();
        rng
    }

    /// Returns how many numbers were drawn.
    pub fn drawn(&self) -> u64 {
        self.drawn
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        while let Some(cut) = self.cuts.pop_if(|cut| cut.at <= self.drawn) {
            self.stream = ChaCha8Rng::seed_from_u64(cut.seed);
            // A number is two words of the stream.
            self.stream.set_word_pos(u128::from(cut.from) * 2);
        }
        self.drawn += 1;
        self.stream.next_u64()
    }

    /// Returns 32 random bits.
    pub fn word(&mut self) -> u32 {
        (self.bits() >> 32) as u32
    }

    /// Returns a number below `end`, uniformly distributed. `end` is not zero.
    pub fn below(&mut self, end: usize) -> usize {
        debug_assert!(end > 0, "there is no number below zero");
        // The high half of a product is a number below `end`; the bias is less than 2^-32 for the
        // small ends here.
        let product = u128::from(self.bits()) * end as u128;
        usize::try_from(product >> 64).unwrap_or_default()
    }

    /// Returns a number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Returns a signed number from `low` to `high`, both included.
    pub fn number(&mut self, low: i32, high: i32) -> i32 {
        let offset = self.below(high.abs_diff(low) as usize + 1);
        low + i32::try_from(offset).unwrap_or_default()
    }

    /// Returns true in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// Returns one of the items, uniformly distributed. There must be at least one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Returns one of the items, with a probability proportional to its weight.
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

    /// Returns a random subset of the items, in their order: at least `least` of them (or all).
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

/// Choices to repeat with some changes: the stream of a seed, cut in some places, with stretches of
/// other streams inserted.
///
/// The result resembles that of the original stream: up to the first cut it is the same, and after
/// a stretch it is often the same again. So every generator that draws from a stream can generate
/// variants too.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Recipe {
    seed: u64,
    cuts: Vec<Cut>,
}

/// From here on, another stream is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Cut {
    /// How many numbers precede it.
    at: u64,
    /// The other stream, and how many of its numbers are skipped.
    seed: u64,
    from: u64,
}

/// A recipe with more cuts than this is not varied further.
const CUTS_MAX: usize = 12;

/// The most choices that are changed in the middle of a recipe.
const STRETCH_MAX: usize = 12;

impl Recipe {
    /// Creates the recipe of an unchanged stream.
    pub fn new(seed: u64) -> Self {
        Self { seed, cuts: Vec::new() }
    }

    /// Returns a variant of a recipe from which `drawn` numbers were drawn: all choices from one of
    /// them on are changed, or only a few.
    #[must_use]
    pub fn varied(&self, drawn: u64, rng: &mut Rng) -> Self {
        if self.cuts.len() + 2 > CUTS_MAX {
            return Self::new(rng.bits());
        }
        let at = rng.below(usize::try_from(drawn).unwrap_or(usize::MAX).max(1)) as u64;
        let (seed, length) = (rng.bits(), rng.between(1, STRETCH_MAX) as u64);
        let is_stretch = rng.chance(50);
        let mut cuts: Vec<Cut> = self.cuts.iter().copied().filter(|cut| cut.at < at).collect();
        cuts.push(Cut { at, seed, from: 0 });
        if is_stretch {
            let end = at + length;
            let last = self.cuts.iter().rev().find(|cut| cut.at <= end);
            let whole = Cut { at: 0, seed: self.seed, from: 0 };
            let under = last.copied().unwrap_or(whole);
            cuts.push(Cut { at: end, seed: under.seed, from: under.from + (end - under.at) });
            cuts.extend(self.cuts.iter().copied().filter(|cut| cut.at > end));
        }
        Self { seed: self.seed, cuts }
    }
}

/// Combines several numbers to one seed (splitmix64).
pub fn seed(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |state: u64, number| {
        let mut mixed = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

#[cfg(test)]
mod tests {
    use super::{Recipe, Rng};

    #[test]
    fn a_recipe_is_the_stream_with_some_numbers_replaced() {
        let numbers = |recipe: &Recipe| {
            let mut rng = Rng::following(recipe);
            (0..100).map(|_| rng.bits()).collect::<Vec<_>>()
        };
        let first = Recipe::new(1);
        let mut stream = Rng::new(1);
        assert_eq!(numbers(&first), (0..100).map(|_| stream.bits()).collect::<Vec<_>>());
        let (mut rng, mut recipe, mut returned) = (Rng::new(2), first, 0);
        for _ in 0..100 {
            let varied = recipe.varied(80, &mut rng);
            let (old, new) = (numbers(&recipe), numbers(&varied));
            let differing: Vec<usize> = (0..100).filter(|at| old[*at] != new[*at]).collect();
            assert!(!differing.is_empty());
            let stretch = differing[differing.len() - 1] - differing[0] + 1;
            assert_eq!(stretch, differing.len(), "what differs is one stretch");
            returned += usize::from(new[99] == old[99]);
            recipe = if varied.cuts.is_empty() { Recipe::new(3) } else { varied };
        }
        assert!((20..80).contains(&returned), "{returned} of 100 come back to the old stream");
    }

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut rng = Rng::new(1);
        let numbers: Vec<usize> = (0..8).map(|_| rng.below(1000)).collect();
        assert_eq!(numbers, [402, 80, 596, 219, 283, 710, 461, 152]);
    }

    #[test]
    fn choices_follow_their_weights() {
        let mut rng = Rng::new(7);
        let rare = (0..10_000).filter(|_| rng.weigh(&[(1, true), (9, false)])).count();
        assert!((800..1200).contains(&rare), "{rare} of 10000 at a weight of 1 in 10");
    }
}
