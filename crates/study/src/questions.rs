//! The questions of the paper, each answered by a function from measured numbers to a plain struct.

mod comparison;
mod correlation;
mod efficiency;
mod known_bugs;
mod mutation;
pub mod overlap;
mod paper;
mod sets;

pub use comparison::{
    Against, Ratio, Row, RunComparison, Sample, Sensitivity, SuiteGroup, VARIATION_MIN, Variation,
    compare,
};
pub use correlation::{Against as BugsAgainst, BugCovers, Correlation, correlation};
pub use efficiency::{Efficiency, PairInPipeline};
pub use known_bugs::{BUGS_MIN, BugCorrelation, BugOverlap, KnownBugs, LeftOut, MeasuredBugs};
pub use mutation::{MutationResult, MutationRow, ScoreCorrelation, Share, mutation};
pub use paper::{BUGS_BY_GUIDANCE, PROGRAMS, Program};
pub use sets::{McSites, side_by_side};
