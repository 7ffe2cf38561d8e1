//! Messages between metacov and a worker about a round: all pairs on one database, and its changes.

use std::collections::BTreeMap;

use metacov_core::Case;
use serde::{Deserialize, Serialize};

use super::done::Counts;
use super::knowledge::KnowledgeDelta;
use crate::worker::protocol::TestResult;

/// The lengths of rounds, independent of the guidance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The database is changed after this many pairs without anything new.
    pub patience: u64,
    /// How many pairs are tested on a database and its changes.
    pub pairs: u64,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule { patience: 1000, pairs: 5000 }
    }
}

/// A request for a round.
#[derive(Debug, Serialize, Deserialize)]
pub struct Round {
    /// The seed of all databases and pairs.
    pub(crate) seed: u64,
    /// The number of the round, and of its database.
    pub(crate) number: u64,
    /// Positions in the method's table.
    pub(crate) relations: Vec<usize>,
    /// The position in the table of guidances.
    pub(crate) guidance: usize,
    /// Whether traces and plans are observed even if nothing is guided by them.
    pub(crate) observes: bool,
    pub(crate) schedule: Schedule,
    /// How many rounds it knows: the worker must know what these have found, and no more.
    pub(crate) knows: u64,
    /// Where it begins: not at its beginning, if a worker was lost on the way.
    pub(crate) start: RoundPosition,
    /// Whether each step is announced before it runs, to find the one that crashes the worker.
    pub(crate) is_cautious: bool,
}

/// How far a round has got.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RoundPosition {
    /// How many pairs are done.
    pub(crate) pairs: u64,
    /// The changes of the database: for each, the mutators that were tried, the last of which
    /// worked.
    pub(crate) changes: Vec<Vec<usize>>,
    pub(crate) pace: Stagnation,
    /// What the round has added so far.
    pub(crate) lesson: KnowledgeDelta,
}

/// Decides when the database is changed.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Stagnation {
    /// Pairs since the last that brought something new.
    pub(crate) stale: u64,
    /// Since the last change: pairs, and their rewards.
    pub(crate) pairs: u64,
    pub(crate) reward: u64,
}

/// The results of consecutive pairs on one state of the database.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RoundBatch {
    pub(crate) pairs: u64,
    /// By the position of the relation.
    pub(crate) counts: BTreeMap<usize, Counts>,
    /// Pairs to keep, by number and relation.
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
    /// The statements that ran, including those that failed.
    pub(crate) statements: Vec<String>,
    /// The encoded cover of the setup with all changes, if it is measured.
    pub(crate) executed: Vec<u8>,
}
