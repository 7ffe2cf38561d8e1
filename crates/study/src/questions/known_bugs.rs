//! The results of known bugs, as stored in a study's folder: the paper's Q.1.

use metacov_core::{Cover, Criterion, SiteTable};
use serde::{Deserialize, Serialize};

use super::correlation::{BugCovers, Correlation, correlation};
use crate::files::{FileVersion, ResultFile};
use crate::overlap::Overlap;

/// The smallest number of bugs for a correlation.
pub const BUGS_MIN: usize = 3;

/// The results of the bugs of a corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBugs {
    /// The version of the file.
    pub version: FileVersion,
    /// The name of the corpus' file.
    pub corpus: String,
    /// How the difference of each bug's pair overlaps with its fix, on the version that has it.
    pub overlaps: Vec<BugOverlap>,
    /// Bugs whose overlap cannot be computed.
    pub left_out: Vec<LeftOut>,
    /// How coverage and MC correlate with the number of bugs, if there are enough.
    pub correlation: Option<BugCorrelation>,
}

/// The overlap of a bug.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BugOverlap {
    /// The bug.
    pub id: String,
    /// The engine that its pair was run on.
    pub engine: String,
    /// A fingerprint of all code of the engine.
    pub build: String,
    /// The relation of its pair, if the corpus says it.
    #[serde(default)]
    pub relation: String,
    /// Whether its fix has many lines, so that MC overlaps with it easily.
    #[serde(default)]
    pub is_wide: bool,
    /// Whether its sides differ in options of the engine.
    #[serde(default)]
    pub is_option_pair: bool,
    /// The overlap.
    pub overlap: Overlap,
}

/// A bug that is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The bug.
    pub id: String,
    /// The reason.
    pub why: String,
}

/// How coverage and MC correlate with the number of bugs, on one engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BugCorrelation {
    /// The engine that all pairs were run on.
    pub engine: String,
    /// A fingerprint of all its code.
    pub build: String,
    /// How many bugs there are.
    pub bugs: usize,
    /// How many sets of each size were drawn.
    pub repetitions: usize,
    /// The correlation.
    pub found: Correlation,
}

impl ResultFile for KnownBugs {}

/// Bugs whose pairs were run on one engine.
pub struct MeasuredBugs {
    /// The covers of each pair.
    pub bugs: Vec<BugCovers>,
    /// All lines of the engine.
    lines: Cover,
    build: String,
}

impl MeasuredBugs {
    /// How often sets of each size are drawn, as in the paper.
    const REPETITIONS: usize = 50;
    /// The seed of the sets.
    const SEED: u64 = 1;

    /// Bugs on an engine with this site table.
    pub fn new(bugs: Vec<BugCovers>, table: &SiteTable) -> Self {
        let mut lines = Cover::of(table);
        for (id, site) in table.sites() {
            if site.criterion() == Criterion::Line {
                lines.insert(id);
            }
        }
        MeasuredBugs { bugs, lines, build: table.build_id().to_string() }
    }

    /// How coverage grows with the number of bugs; none if there are fewer than [`BUGS_MIN`].
    pub fn correlation(&self, engine: &str) -> Option<BugCorrelation> {
        (self.bugs.len() >= BUGS_MIN).then(|| BugCorrelation {
            engine: engine.to_owned(),
            build: self.build.clone(),
            bugs: self.bugs.len(),
            repetitions: Self::REPETITIONS,
            found: correlation(&self.bugs, &self.lines, Self::REPETITIONS, Self::SEED),
        })
    }
}
