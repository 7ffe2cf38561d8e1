//! Chooses the next statement that changes a database: the multi-armed bandit of query plan
//! guidance ("Testing Database Engines via Query Plan Guidance", Ba and Rigger, ICSE 2023).

use metacov_core::Rng;
use serde::{Deserialize, Serialize};

/// How many of 100 choices are random; the others choose the best mutator.
const RANDOM_PERCENT: u32 = 70;

/// The weight of a reward against all earlier ones.
const LEARNING: f64 = 0.25;

/// Moving averages of the rewards of the mutators, which are kinds of statements.
///
/// By position; those without a reward may be missing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Weights(Vec<f64>);

impl Weights {
    /// Chooses one of `count` mutators; `count` is not zero.
    pub(crate) fn choose(&self, count: usize, rng: &mut Rng) -> usize {
        if rng.chance(RANDOM_PERCENT) {
            return rng.below(count);
        }
        let weight = |at: usize| self.0.get(at).copied().unwrap_or_default();
        let best = (0..count).map(weight).fold(0.0, f64::max);
        let best: Vec<usize> = (0..count).filter(|at| weight(*at) >= best).collect();
        if best.is_empty() { rng.below(count) } else { *rng.pick(&best) }
    }

    /// Records the reward of a mutator: the share of pairs after it that brought something new.
    pub(crate) fn reward(&mut self, mutator: usize, reward: f64) {
        if self.0.len() <= mutator {
            self.0.resize(mutator + 1, 0.0);
        }
        self.0[mutator] += (reward - self.0[mutator]) * LEARNING;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewarded_mutators_are_chosen_more_often() {
        let (mut weights, mut rng) = (Weights::default(), Rng::new(1));
        weights.reward(3, 0.5);
        weights.reward(4, 0.1);
        let chosen: Vec<usize> = (0..1000).map(|_| weights.choose(23, &mut rng)).collect();
        let count = |mutator| chosen.iter().filter(|chosen| **chosen == mutator).count();
        assert!((270..400).contains(&count(3)), "{} of 1000", count(3));
        assert!(count(4) < 70);
        for _ in 0..20 {
            weights.reward(3, 0.0);
        }
        let chosen = (0..1000).filter(|_| weights.choose(23, &mut rng) == 4).count();
        assert!(chosen > 250, "what has not paid for long is not the best any more");
    }
}
