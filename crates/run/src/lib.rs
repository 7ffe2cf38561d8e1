//! Groups in, a folded suite out: one worker pool, one fold, one shared site table.
//!
//! **The key design decision of this crate**: whatever is measured goes the same way. A source runs or
//! reads the sides of a group; a worker folds them into tallies of its own, over a table that all
//! workers share; observers hear of each group as it is done. Nothing here knows what a side is.
//!
//! The crate calls down into `exec` and `formats`; nothing of it is called from there.

mod error;
mod fold;
mod observer;
mod pool;
mod shared_table;
mod sources;
mod worker_fold;

pub use error::{JobError, StopReason};
pub use fold::{FoldOptions, Source, fold};
pub use observer::{GroupDone, Observer};
pub use pool::{JobQueue, PoolState, run_jobs};
pub use shared_table::SharedTable;
pub use sources::{CoverageFiles, ProgramRuns};
pub use worker_fold::{GroupRead, Readings, WorkerFold};
