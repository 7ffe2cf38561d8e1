//! What metamorphic coverage costs, as a study's file keeps it: the paper's Q.3.

use metacov_formats::Fault;
use serde::{Deserialize, Serialize};

use crate::Time;
use crate::files::{self, FileVersion};

/// The paper's pipeline and metacov, on the same few pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Efficiency {
    /// The version of the file.
    pub version: FileVersion,
    /// What was tested.
    pub target: String,
    /// A fingerprint of all its code.
    pub build: String,
    /// Who reported in the pipeline, with its version.
    pub gcovr: String,
    /// The pairs, in the pipeline.
    pub pairs: Vec<PairInPipeline>,
    /// All of these pairs in metacov, from its start to their differences.
    pub metacov: Time,
}

/// A pair in the paper's pipeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairInPipeline {
    /// Its relation.
    pub relation: String,
    /// What tells it from others of that.
    pub pair: String,
    /// Line coverage: both runs, and gcovr's report of each.
    pub coverage: Time,
    /// From the reports to the lines that differ.
    pub difference: Time,
    /// How many lines differ by the reports.
    pub lines: u64,
    /// How many lines differ by metacov.
    pub lines_by_metacov: u64,
}

impl Efficiency {
    /// Line coverage of all pairs, in the pipeline.
    pub fn coverage(&self) -> Time {
        self.pairs.iter().map(|of| of.coverage).sum()
    }

    /// Metamorphic coverage of all pairs, in the pipeline: line coverage comes first.
    pub fn mc(&self) -> Time {
        self.coverage() + self.pairs.iter().map(|of| of.difference).sum()
    }

    /// As text.
    pub fn to_json(&self) -> String {
        files::to_json(self)
    }

    /// From text.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        files::parse(text)
    }
}
