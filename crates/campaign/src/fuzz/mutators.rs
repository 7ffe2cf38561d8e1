//! Which statement changes a database next: the one-armed bandit of query plan guidance ("Testing Database Engines via
//! Query Plan Guidance", Ba and Rigger, ICSE 2023).

use metacov_relations::{Kind, Rng};
use serde::{Deserialize, Serialize};

/// A mutator is chosen at random in so many of 100 cases; otherwise the best one is.
const RANDOM_PERCENT: u32 = 70;

/// How much a reward counts against all earlier ones.
const LEARNING: f64 = 0.25;

/// What is known of the mutators: all kinds of statements.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Weights(Vec<f64>);

impl Default for Weights {
    fn default() -> Self {
        Weights(vec![0.0; Kind::ALL.len()])
    }
}

impl Weights {
    /// The next mutator.
    pub(crate) fn choose(&self, rng: &mut Rng) -> usize {
        if rng.chance(RANDOM_PERCENT) {
            return rng.below(self.0.len());
        }
        let best = self.0.iter().copied().fold(0.0, f64::max);
        let best: Vec<usize> = (0..self.0.len()).filter(|at| self.0[*at] >= best).collect();
        if best.is_empty() { rng.below(self.0.len()) } else { *rng.pick(&best) }
    }

    /// A mutator has had this reward: what was new of the pairs behind it, as a share of them.
    pub(crate) fn reward(&mut self, mutator: usize, reward: f64) {
        if let Some(weight) = self.0.get_mut(mutator) {
            *weight += (reward - *weight) * LEARNING;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_paid_is_chosen_more_often() {
        let (mut weights, mut rng) = (Weights::default(), Rng::new(1));
        weights.reward(3, 0.5);
        weights.reward(4, 0.1);
        let chosen: Vec<usize> = (0..1000).map(|_| weights.choose(&mut rng)).collect();
        let count = |mutator| chosen.iter().filter(|chosen| **chosen == mutator).count();
        assert!((270..400).contains(&count(3)), "{} of 1000", count(3));
        assert!(count(4) < 70);
        for _ in 0..20 {
            weights.reward(3, 0.0);
        }
        let chosen = (0..1000).filter(|_| weights.choose(&mut rng) == 4).count();
        assert!(chosen > 250, "what has not paid for long is not the best any more");
    }
}
