//! Which violations are worth looking into, of many that look alike.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How many violations there were of each likeness.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SketchHashes {
    met: BTreeMap<u64, u64>,
}

impl SketchHashes {
    /// Notes a violation; whether it is worth looking into. The first of a likeness is, the second, the fourth, the
    /// eighth: what looks alike need not be the same bug, but the more there were, the more likely it is.
    pub(crate) fn meet(&mut self, likeness: u64) -> bool {
        let met = self.met.entry(likeness).or_default();
        *met += 1;
        met.is_power_of_two()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alike_is_looked_into_ever_more_seldom() {
        let mut likenesses = SketchHashes::default();
        let worth: Vec<u64> = (1..=100).filter(|_| likenesses.meet(7)).collect();
        assert_eq!(worth, [1, 2, 4, 8, 16, 32, 64]);
        assert!(likenesses.meet(8), "another one is new");
    }
}
