//! Folds groups into a suite: one worker pool, one fold, one shared site table.
//!
//! **The key design decision of this crate**: every measurement takes the same path. A source runs
//! or reads the sides of a group; a worker folds them into private tallies, over a table that all
//! workers share; observers are called for each completed group. Nothing here knows what a side is.
//!
//! The crate calls `exec` and `formats`; they never call it.

mod collector;
mod error;
mod fold;
mod observer;
mod pool;
mod program_suite;
mod shared_table;
mod sources;
mod worker_fold;

pub use metacov_exec::{SideReading, SideRun};

pub use collector::{Collected, Collector, FailedPairs};
pub use error::RunError;
pub use fold::{FoldOptions, Source, fold};
pub use observer::{GroupDone, Observer};
pub use pool::{JobQueue, PoolState, run_jobs};
pub use program_suite::{ALL, ProgramSuite};
pub use shared_table::SharedTable;
pub use sources::{CoverageFiles, Judges, ProgramRunner, ProgramRuns};
pub use worker_fold::{GroupRead, Readings, WorkerFold};
