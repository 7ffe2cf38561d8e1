//! Tests that are made on the spot: databases and pairs from a seed, run by workers.
//!
//! **The key design decision of this crate**: a worker is a process that does everything but to
//! conclude: it makes a database, derives tests, runs both sides, judges them, solves the counters
//! and tells what ran, without waiting for anybody. So nearly all time is spent in the engine under
//! test, and if that crashes, one pair is lost and the next worker goes on behind it. What the pairs
//! add up to is found out elsewhere, in the order of their places: the same whatever the number of
//! workers.

mod bench;
mod check;
mod crew;
mod experiment;
mod finding;
mod fuzz;
mod measure;
mod message;
mod plan;
mod script;
mod time;
mod work;
mod worker;

pub use check::{Checks, Counts, check};
pub use crew::Log;
pub use experiment::{Experiment, Laboratory, Ran, Tried};
pub use finding::{
    Difference, Equipment, Examined, Finding, FindingFile, Investigator, Known, KnownBug, Replayed,
    Signature, Size, Suspect, What, families,
};
pub use fuzz::{
    Campaign, Clerk, Counts as RoundCounts, Done, GUIDANCES, Guidance, History, Lesson, Looks,
    Noted, ROUND_LAG, Record, Schedule, Seen, Stand, Summary, fuzz,
};
pub use measure::measure;
pub use message::{Coverage, Setting};
pub use plan::Plan;
pub use script::{script, write};
pub use time::{Phase, Spent};
pub use work::work;
pub use worker::Conditions;
