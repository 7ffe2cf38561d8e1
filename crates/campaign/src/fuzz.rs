//! Fuzzing: tests pairs continuously, guided by new coverage.
//!
//! **The key design decision**: a campaign is a list of rounds, one for each database, and a round
//! is a function of its number, the seed and what the rounds up to a fixed distance before it
//! found. So rounds run in parallel, a lost round is repeated, and the same seed gives the same
//! campaign, whatever the number of workers and however often it is killed.

mod bandit;
mod campaign;
mod change;
mod done;
mod examination;
mod explore;
mod guidance;
mod history;
mod knowledge;
mod plans;
mod recorder;
mod round;
mod round_knowledge;
mod round_runner;
mod sketch_hashes;
#[cfg(test)]
mod tests;
mod traces;
mod trial_progress;
mod worker_knowledge;

pub use campaign::{Campaign, CampaignObserver, ROUND_LAG, fuzz};
pub use done::{Counts, Done, Summary};
pub use guidance::{GUIDANCES, Guidance, Probes};
pub use history::{CampaignStats, FindingSummary, History, Record};
pub(crate) use knowledge::Knowledge;
pub use knowledge::KnowledgeDelta;
pub use recorder::{CampaignDisplay, CampaignLimits, CampaignStatus, findings_folder};
pub(crate) use recorder::{CampaignRecorder, RecorderState};
pub use round::Schedule;
pub(crate) use round::{Changed, Round, RoundBatch};
pub use traces::Novelty;
pub(crate) use trial_progress::ProgressFile;
pub use trial_progress::TrialProgress;
pub(crate) use worker_knowledge::WorkerKnowledge;
