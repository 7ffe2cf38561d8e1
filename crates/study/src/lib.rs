//! What many suites say together, and what a pair says of a fault: the paper's questions, asked of
//! what was measured.
//!
//! **The key design decision of this crate**: a result is a function from what was measured to a
//! plain struct. Nothing here runs a target or prints, and randomness comes from a seed, so a table
//! can be made again from the same files, to the last digit. Who needs more executions says which,
//! and is handed what came of them.

mod campaigns;
mod comparison;
pub mod corpus;
mod correlation;
mod efficiency;
mod kept;
mod known_bugs;
pub mod locate;
mod outcome;
pub mod overlap;
mod paper;
mod part;
mod plan;
mod record;
mod results;
mod sets;
pub mod statistics;
mod study;

pub use campaigns::{
    Budget, CampaignPlan, CampaignResults, GuidanceRow, Observed, Rival, Trial, TrialOutcome,
    unite_trials,
};
pub use comparison::{Against, Comparison, Group, Row, Sample, Sensitivity, Variation, compare};
pub use correlation::{Against as BugsAgainst, BugCovers, Correlation, correlation};
pub use efficiency::{Efficiency, PairInPipeline};
pub use kept::FormVersion;
pub use known_bugs::{BUGS_MIN, BugCorrelation, BugOverlap, KnownBugs, LeftOut};
pub use outcome::{Outcome, Time};
pub use paper::{BUGS_BY_GUIDANCE, PROGRAMS, Program};
pub use part::{Part, United, unite};
pub use plan::{BugsPlan, EfficiencyPlan, Plan, Suite, Task};
pub use record::{ALL, Measurement, Record};
pub use results::{Cell, Results};
pub use sets::{Validated, side_by_side};
pub use study::Study;
