//! What metacov and a worker say to each other about a round: all pairs on one database, and its changes.

use std::collections::BTreeMap;

use metacov_core::Case;
use serde::{Deserialize, Serialize};

use super::done::Counts;
use super::knowledge::{Knowledge, KnowledgeDelta};
use crate::worker::protocol::TestResult;

/// How a round goes, whatever guides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The database is changed after so many pairs without news.
    pub patience: u64,
    /// How many pairs are tested on a database and its changes.
    pub pairs: u64,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule { patience: 1000, pairs: 5000 }
    }
}

/// A round that is wanted.
#[derive(Debug, Serialize, Deserialize)]
pub struct Round {
    /// The seed of all.
    pub(crate) seed: u64,
    /// The number of the round, and of its database.
    pub(crate) number: u64,
    /// As they stand in the table of all.
    pub(crate) relations: Vec<usize>,
    /// As it stands in the table of all.
    pub(crate) guidance: usize,
    /// Whether traces and plans are looked at even if nothing is guided by them.
    pub(crate) observes: bool,
    pub(crate) schedule: Schedule,
    /// What earlier rounds have found out.
    pub(crate) known: Knowledge,
    /// Where it begins: not at its beginning, if a worker was lost on the way.
    pub(crate) start: RoundPosition,
    /// Whether each step is told before it is taken, because one of them ends the worker.
    pub(crate) is_cautious: bool,
}

/// How far a round has come.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RoundPosition {
    /// How many pairs are done.
    pub(crate) pairs: u64,
    /// The changes of the database: the mutators that were tried, the last of which worked.
    pub(crate) changes: Vec<Vec<usize>>,
    pub(crate) pace: Stagnation,
    /// What it has added to what is known.
    pub(crate) lesson: KnowledgeDelta,
}

/// What decides when the database is changed.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Stagnation {
    /// Pairs since there was news.
    pub(crate) stale: u64,
    /// Since the last change: pairs, and what they were worth.
    pub(crate) pairs: u64,
    pub(crate) reward: u64,
}

/// What came of some pairs that follow each other, on one state of the database.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RoundBatch {
    pub(crate) pairs: u64,
    /// By relation, as its position.
    pub(crate) counts: BTreeMap<usize, Counts>,
    /// Pairs to remember, by number and relation.
    pub(crate) kept: Vec<(u64, usize, TestResult)>,
    pub(crate) violations: Vec<Violated>,
    pub(crate) pace: Stagnation,
    pub(crate) lesson: KnowledgeDelta,
}

/// A pair that violates its relation.
#[derive(Debug, Serialize, Deserialize)]
pub struct Violated {
    pub(crate) pair: u64,
    pub(crate) how: String,
    /// The pair, without its setup.
    pub(crate) case: Case,
}

/// A change of the database.
#[derive(Debug, Serialize, Deserialize)]
pub struct Changed {
    /// The mutators that were tried.
    pub(crate) mutators: Vec<usize>,
    /// What was run; some of it failed, and is part of it.
    pub(crate) statements: Vec<String>,
    /// What making the database ran, with all changes, as bytes, if that is measured.
    pub(crate) executed: Vec<u8>,
}
