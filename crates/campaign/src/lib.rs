//! Generated tests: databases and pairs from a seed, run by workers.
//!
//! **The key design decision of this crate**: a worker is a process that does everything except
//! aggregation: it creates a database, derives tests, runs both sides, judges them, solves the
//! counters and reports the sites that ran, without waiting for metacov. So nearly all time is
//! spent in the engine under test, and if the engine crashes, one pair is lost and the next worker
//! continues after it. Results are added up in metacov's main process, in the order of their
//! places, so they do not depend on the number of workers.

mod ask;
mod check;
mod config;
mod finding;
mod fuzz;
mod measure;
mod mutants;
mod plan;
#[cfg(any(test, feature = "scripted"))]
mod scripted;
mod stored_inputs;
mod suite;
mod target_list;
mod timing;
mod worker;
mod write_pairs;

pub use ask::{AskedResult, AskedTarget};
pub use check::{Checks, Counts, check};
pub use config::{CampaignConfig, parse_duration, run_campaign};
pub use finding::{
    Bisected, Difference, Examined, FailingCase, FailureKind, Finding, FindingFile, KnownBug,
    KnownBugs, ReplayConfig, Replayed, Signature, Triage, TriageTargets, check_trust, families,
    missing_releases, read_findings, refused, replay_findings,
};
pub use fuzz::{
    Campaign, CampaignDisplay, CampaignLimits, CampaignObserver, CampaignStats, CampaignStatus,
    Counts as RoundCounts, Done, FindingSummary, GUIDANCES, Guidance, History, KnowledgeDelta,
    Novelty, Probes, ROUND_LAG, Record, Schedule, Summary, TrialProgress, findings_folder, fuzz,
};
pub use measure::measure;
pub use mutants::{
    GeneratedMutants, MutantCase, MutantChoice, MutantComparison, MutantDifference, MutantPairs,
    MutantRunOptions, ProgramCase, ProgramMutants, missing_mutants, run_mutants,
};
pub use plan::TestPlan;
#[cfg(feature = "scripted")]
pub use scripted::{Effect, LINES, Reply, Scene, Scripted, ScriptedTarget, Unchanging};
pub use suite::{GeneratedSuite, GeneratedTests, OpenSuite, SuiteConfig, SuiteOptions, SuitePairs};
pub use target_list::{TargetList, relation_positions};
pub use timing::{Phase, PhaseTimes};
pub use worker::batches::RunLog;
pub use worker::cases::{CaseBatch, CaseResult, CaseRunner, PairResult};
pub use worker::host::{Sites, WorkerOptions};
pub use worker::link::Launch;
pub use worker::main::work;
pub use worker::protocol::{Coverage, TargetOptions, WorkerConfig};
pub use write_pairs::{LostState, write_pairs};
