//! Studies: what many suites say together, and what a pair says about a fault. The questions of the
//! paper, answered from measurements.
//!
//! **The key design decision of this crate**: a result is a function from measurements to a plain
//! struct. Outside of `conduct`, nothing runs a target, and randomness comes from a seed, so the
//! same files give the same tables, to the last digit. Nothing in this crate prints.

mod campaigns;
pub mod conduct;
pub mod corpus;
mod files;
pub mod locate;
mod mutants;
mod plan;
mod questions;
mod results;
mod shard;
pub mod stats;
mod study;
mod suite_mutants;
mod suite_numbers;
mod suite_result;

pub use campaigns::{
    Budget, CampaignPlan, CampaignResults, GuidanceRow, Observed, Rival, Trial, TrialOutcome,
    unite_trials,
};
pub use files::{FileVersion, ResultFile};
pub use mutants::{Kills, LineKills, MutantOutcomes, MutantTally, measured_file};
pub use plan::{BugsPlan, EfficiencyPlan, MutantsPlan, StudyPlan, SuiteSpec, Task};
pub use questions::{
    Against, BUGS_BY_GUIDANCE, BUGS_MIN, BugCorrelation, BugCovers, BugOverlap, BugsAgainst,
    Correlation, Efficiency, KnownBugs, LeftOut, McSites, MeasuredBugs, MutationResult,
    MutationRow, PROGRAMS, PairInPipeline, Program, Ratio, Row, RunComparison, Sample,
    ScoreCorrelation, Sensitivity, Share, SuiteGroup, VARIATION_MIN, Variation, compare,
    correlation, mutation, overlap, side_by_side,
};
pub use results::{Results, SizeResult};
pub use shard::{StudyShard, United, unite};
pub use study::Study;
pub use suite_mutants::{RelationMutants, SuiteMutants};
pub use suite_numbers::{ALL, Measurement, SuiteNumbers};
pub use suite_result::{SuiteResult, Time};
