//! What a study has of known bugs, as its file keeps it: the paper's Q.1.

use metacov_formats::Fault;
use serde::{Deserialize, Serialize};

use crate::Correlation;
use crate::files::{self, FileVersion};
use crate::overlap::Overlap;

/// Fewer bugs than these have no correlation worth the name.
pub const BUGS_MIN: usize = 3;

/// What is known of the bugs of a corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBugs {
    /// The version of the file.
    pub version: FileVersion,
    /// The name of the corpus' file.
    pub corpus: String,
    /// How the difference of each bug's pair overlaps with its fix, on the version that has it.
    pub overlaps: Vec<BugOverlap>,
    /// Bugs of which that cannot be told.
    pub left_out: Vec<LeftOut>,
    /// How coverage and MC go with the number of bugs, if there are enough.
    pub correlation: Option<BugCorrelation>,
}

/// The overlap of a bug.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BugOverlap {
    /// The bug.
    pub id: String,
    /// What its pair was run on.
    pub engine: String,
    /// A fingerprint of all code of that.
    pub build: String,
    /// How they overlap.
    pub overlap: Overlap,
}

/// A bug that is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The bug.
    pub id: String,
    /// Why.
    pub why: String,
}

/// How coverage and MC go with the number of bugs, on one engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BugCorrelation {
    /// What all pairs were run on.
    pub engine: String,
    /// A fingerprint of all its code.
    pub build: String,
    /// How many bugs there are.
    pub bugs: usize,
    /// How many sets of each size were drawn.
    pub repetitions: usize,
    /// What came of it.
    pub found: Correlation,
}

impl KnownBugs {
    /// As text.
    pub fn to_json(&self) -> String {
        files::to_json(self)
    }

    /// From text.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        files::parse(text)
    }
}
