//! The results of a round.

use std::collections::BTreeMap;
use std::sync::Arc;

use metacov_core::{Context, Group, Reading, Verdict};
use serde::{Deserialize, Serialize};

use super::knowledge::KnowledgeDelta;
use crate::finding::Finding;
use crate::timing::PhaseTimes;
use crate::worker::host::Sites;

/// A complete round.
pub struct Done {
    /// Its number.
    pub number: u64,
    /// Its counts.
    pub summary: Summary,
    /// What it adds to what is known.
    pub lesson: KnowledgeDelta,
    /// The pairs to keep.
    pub(crate) kept: Vec<Kept>,
    /// The findings in their order; some may have been found before.
    pub findings: Vec<Finding>,
}

/// The counts of a round. They contain no times, so that the same round has the same summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// How many pairs were tested.
    pub pairs: u64,
    /// How often the database was changed.
    pub changes: u64,
    /// How often a worker was lost.
    pub restarts: u64,
    /// By relation; `setup` stands for the setup of databases.
    pub relations: BTreeMap<String, Counts>,
    /// Known findings, by the name of the bug.
    pub known: BTreeMap<String, u64>,
    /// Failing cases that were not confirmed, by reason.
    pub unconfirmed: BTreeMap<String, u64>,
    /// Violations that were not examined, because many similar ones were.
    pub alike: u64,
    /// Where the time went, which is not stored.
    #[serde(skip)]
    pub times: PhaseTimes,
}

/// The results of the pairs of a relation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// How many held.
    pub held: u64,
    /// How many were violated.
    pub violated: u64,
    /// How many had no verdict, and why.
    pub invalid: BTreeMap<String, u64>,
    /// How many ended the engine, and how.
    pub lost: BTreeMap<String, u64>,
}

/// A pair to keep, with its covers.
pub(crate) struct Kept {
    pub(crate) place: u64,
    pub(crate) relation: &'static str,
    pub(crate) pair: String,
    pub(crate) group: Group<Reading>,
    /// The site table of the covers.
    pub(crate) sites: Arc<Sites>,
    pub(crate) context: Context,
    pub(crate) micros: u64,
}

impl Summary {
    /// Adds the counts of another round.
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
    /// Counts a pair. A pair that ended the worker is counted by how it ended.
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

    /// Adds other counts.
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
