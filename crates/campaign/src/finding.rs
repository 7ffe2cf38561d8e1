//! Findings: what a campaign meets, looked into until it is worth somebody's time.
//!
//! A [`FailingCase`] is what the loop saw. The [`Triage`] runs it again in processes of their own, which gives a
//! [`ConfirmedCase`](sketch::Sketch); unless that looks like many before, it makes it as small as it gets, measures what its sides run
//! differently and gives it a [`Signature`]. What is left is a [`Finding`]: a folder that anybody can replay.
//! `docs/fuzzing.md` says what the signature means.

mod difference;
mod examine;
mod family;
mod file;
mod folder;
mod investigator;
mod known;
mod page;
mod replay;
mod shape;
mod signature;
mod sketch;
mod suspect;

pub use difference::Difference;
pub use family::families;
pub use file::FindingFile;
pub use investigator::{Examined, Finding, Size, Triage, TriageTargets};
pub use known::{KnownBug, KnownBugs};
pub use replay::ReplayResult;
pub use signature::Signature;
pub use suspect::{FailingCase, FailureKind};
