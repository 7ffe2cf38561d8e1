//! Runs a study: its suites, its trials, its known bugs and the gcovr pipeline, and stores the
//! results in a folder.
//!
//! Measurements and campaigns themselves are run by the caller, through the traits and closures
//! that the functions here take. Nothing is printed: progress is reported through callbacks.

mod changes;
mod context;
mod folder;
mod gcovr_pipeline;
mod locate;
mod merge;
mod message;
mod mutants;
mod overlap;
mod pipeline_run;
mod run_groups;
mod selection;
mod stopwatch;
mod suites;
mod trial;
mod trial_folder;
mod trials;

pub use changes::keep_changed;
pub use context::RunContext;
pub use folder::{StudyFolder, read_shards, read_text, read_trials};
pub use gcovr_pipeline::{Gcovr, LineCounts, PairLines, Pipeline, PipelineSample};
pub use locate::{
    Bug, CorpusOptions, LocateConfig, LocateRun, LocateTarget, LocatedBugs, RunOfTarget,
    RunViolations, ScriptPair, known_findings, locate_corpus, read_corpus,
};
pub use merge::{disputed, merge_studies, repeated};
pub use message::Message;
pub use mutants::{MutantsContext, MutantsEnd, MutantsRun};
pub use overlap::overlap_of_run;
pub use pipeline_run::run_pipeline;
pub use run_groups::{RunGroups, name_groups, read_groups};
pub use selection::{Selection, Shard};
pub use stopwatch::Stopwatch;
pub use suites::{SuiteTasks, SuitesRun, TaskEnd};
pub use trial::{TrialProgram, read_trial};
pub use trial_folder::TrialFolder;
pub use trials::{PlannedTrial, TrialEvent, TrialsRun, plan_trials};
