//! Decides which of many similar violations to examine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How many violations of each hash there were.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SketchHashes {
    met: BTreeMap<u64, u64>,
}

impl SketchHashes {
    /// Counts a violation, and returns whether to examine it. The first of a hash is examined, the
    /// second, the fourth, the eighth: similar violations need not be the same bug, but the more
    /// there were, the more likely they are.
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
    fn violations_with_one_hash_are_examined_ever_less_often() {
        let mut likenesses = SketchHashes::default();
        let worth: Vec<u64> = (1..=100).filter(|_| likenesses.meet(7)).collect();
        assert_eq!(worth, [1, 2, 4, 8, 16, 32, 64]);
        assert!(likenesses.meet(8), "another one is new");
    }
}
