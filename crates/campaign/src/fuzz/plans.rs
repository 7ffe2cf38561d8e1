//! Known query plans.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A set of query plans, normalised and hashed, that only grows. After days a campaign knows
/// millions, and each round is sent all of them, so most are in a sorted array, which is copied,
/// sent and read at the speed of memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Plans {
    /// Sorted.
    settled: Vec<u64>,
    /// Plans that were added one by one, not contained in `settled`.
    fresh: BTreeSet<u64>,
}

impl Plans {
    /// Adds a plan. Returns whether it is new.
    pub(super) fn insert(&mut self, plan: u64) -> bool {
        self.settled.binary_search(&plan).is_err() && self.fresh.insert(plan)
    }

    /// Adds all of the other.
    pub(super) fn add(&mut self, other: &Plans) {
        let known = self.count();
        for plan in other.iter() {
            self.insert(plan);
        }
        if self.count() > known {
            self.settled.extend(std::mem::take(&mut self.fresh));
            #[expect(
                clippy::stable_sort_primitive,
                reason = "merges two sorted runs in linear time"
            )]
            self.settled.sort();
        }
    }

    pub(super) fn count(&self) -> u64 {
        (self.settled.len() + self.fresh.len()) as u64
    }

    fn iter(&self) -> impl Iterator<Item = u64> {
        self.settled.iter().chain(&self.fresh).copied()
    }
}

impl Serialize for Plans {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Plans {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut settled = Vec::deserialize(deserializer)?;
        settled.sort_unstable();
        settled.dedup();
        Ok(Plans { settled, fresh: BTreeSet::new() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Insert(u64),
        Add(Vec<u64>),
        Send,
    }

    fn step() -> impl Strategy<Value = Step> {
        let plan = 0_u64..32;
        prop_oneof![
            plan.clone().prop_map(Step::Insert),
            prop::collection::vec(plan, 0..8).prop_map(Step::Add),
            Just(Step::Send),
        ]
    }

    proptest! {
        #[test]
        fn plans_are_a_set(steps in prop::collection::vec(step(), 0..64)) {
            let (mut plans, mut set) = (Plans::default(), BTreeSet::new());
            for step in steps {
                match step {
                    Step::Insert(plan) => prop_assert_eq!(plans.insert(plan), set.insert(plan)),
                    Step::Add(more) => {
                        let mut other = Plans::default();
                        for plan in &more {
                            other.insert(*plan);
                        }
                        plans.add(&other);
                        set.extend(more);
                    }
                    Step::Send => plans = serde_json::from_str(&serde_json::to_string(&plans)?)?,
                }
                prop_assert_eq!(plans.count(), set.len() as u64);
                prop_assert_eq!(&plans.iter().collect::<BTreeSet<_>>(), &set);
            }
        }
    }
}
