//! The cost of metamorphic coverage, as stored in a study's folder: the paper's Q.3.

use serde::{Deserialize, Serialize};

use crate::Time;
use crate::files::{FileVersion, ResultFile};

/// The gcovr pipeline and metacov on the same pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Efficiency {
    /// The version of the file.
    pub version: FileVersion,
    /// The target.
    pub target: String,
    /// A fingerprint of all its code.
    pub build: String,
    /// The name and version of gcovr.
    pub gcovr: String,
    /// The pairs in the pipeline.
    pub pairs: Vec<PairInPipeline>,
    /// The time that metacov takes for all of these pairs.
    pub metacov: Time,
}

/// A pair in the gcovr pipeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairInPipeline {
    /// Its relation.
    pub relation: String,
    /// Its name, unique in the relation.
    pub pair: String,
    /// The time for line coverage: both runs, and gcovr's report of each.
    pub coverage: Time,
    /// The time from the reports to the lines that differ.
    pub difference: Time,
    /// How many lines differ according to the reports.
    pub lines: u64,
    /// How many lines differ according to metacov.
    pub lines_by_metacov: u64,
}

impl ResultFile for Efficiency {}

impl Efficiency {
    /// Returns the time for line coverage of all pairs, in the pipeline.
    pub fn coverage(&self) -> Time {
        self.pairs.iter().map(|of| of.coverage).sum()
    }

    /// Returns the time for metamorphic coverage of all pairs, in the pipeline, including line
    /// coverage.
    pub fn mc(&self) -> Time {
        self.coverage() + self.pairs.iter().map(|of| of.difference).sum()
    }
}
