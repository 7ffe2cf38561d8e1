//! A round that is over.

use std::collections::BTreeMap;
use std::sync::Arc;

use metacov_core::{Context, Group, Reading, Verdict};
use serde::{Deserialize, Serialize};

use super::knowledge::KnowledgeDelta;
use crate::finding::Finding;
use crate::timing::PhaseTimes;
use crate::worker::host::Sites;

/// A round that is over.
pub struct Done {
    /// Its number.
    pub number: u64,
    /// What came of it, in numbers.
    pub summary: Summary,
    /// What it has added to what is known.
    pub lesson: KnowledgeDelta,
    /// The pairs to remember.
    pub(crate) kept: Vec<Kept>,
    /// What was found, in its order; some of it may have been found before.
    pub findings: Vec<Finding>,
}

/// What came of a round, in numbers. No time is in it: the same round has the same summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// How many pairs were tested.
    pub pairs: u64,
    /// How often the database was changed.
    pub changes: u64,
    /// How often a worker was lost.
    pub restarts: u64,
    /// By relation; `setup` is the making of databases.
    pub relations: BTreeMap<String, Counts>,
    /// By name: findings that were known.
    pub known: BTreeMap<String, u64>,
    /// By reason: suspects that did not show again.
    pub unconfirmed: BTreeMap<String, u64>,
    /// Violations that were not looked into, as many that look alike were.
    pub alike: u64,
    /// Where the time went, which is not kept.
    #[serde(skip)]
    pub times: PhaseTimes,
}

/// What came of the pairs of a relation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// How many held.
    pub held: u64,
    /// How many were violated.
    pub violated: u64,
    /// How many said nothing, and why.
    pub invalid: BTreeMap<String, u64>,
    /// How many the engine was lost on, and how.
    pub lost: BTreeMap<String, u64>,
}

/// A pair to remember, with what its sides ran.
pub(crate) struct Kept {
    pub(crate) place: u64,
    pub(crate) relation: &'static str,
    pub(crate) pair: String,
    pub(crate) group: Group<Reading>,
    /// What the group is of.
    pub(crate) sites: Arc<Sites>,
    pub(crate) context: Context,
    pub(crate) micros: u64,
}

impl Summary {
    /// Adds those of another round.
    pub fn add(&mut self, other: &Summary) {
        self.pairs += other.pairs;
        self.changes += other.changes;
        self.restarts += other.restarts;
        for (relation, counts) in &other.relations {
            self.relations.entry(relation.clone()).or_default().add(counts);
        }
        let maps = [(&mut self.known, &other.known), (&mut self.unconfirmed, &other.unconfirmed)];
        for (own, others) in maps {
            add(own, others);
        }
        self.alike += other.alike;
        self.times.add(&other.times);
    }
}

impl Counts {
    /// Counts a pair. One that was lost is counted by how it was lost.
    pub(crate) fn count(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Holds => self.held += 1,
            Verdict::Violated(_) => self.violated += 1,
            Verdict::Invalid(reason) => *self.invalid.entry(reason.to_string()).or_default() += 1,
            Verdict::Lost { missing, .. } => {
                *self.lost.entry(missing.failure.name().to_owned()).or_default() += 1;
            }
        }
    }

    /// Adds those of others.
    pub(crate) fn add(&mut self, other: &Counts) {
        self.held += other.held;
        self.violated += other.violated;
        add(&mut self.invalid, &other.invalid);
        add(&mut self.lost, &other.lost);
    }
}

fn add(own: &mut BTreeMap<String, u64>, others: &BTreeMap<String, u64>) {
    for (key, count) in others {
        *own.entry(key.clone()).or_default() += count;
    }
}
