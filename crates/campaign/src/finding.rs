//! Findings: what a campaign meets, looked into until it is worth somebody's time.
//!
//! A [`FailingCase`] is what the loop saw. The [`Triage`] runs it again in processes of their own, which gives a
//! [`ConfirmedCase`](confirm::ConfirmedCase); unless that looks like many before, it makes it as small as it gets, measures what its sides run
//! differently and gives it a [`Signature`]. What is left is a [`Finding`]: a folder that anybody can replay.
//! `docs/fuzzing.md` says what the signature means.

mod bisect;
mod case_run;
mod confirm;
mod difference;
mod failing_case;
mod family;
mod file;
mod folder;
mod known_bugs;
mod replay;
mod report;
mod signature;
#[cfg(test)]
mod tests;
mod triage;

pub use bisect::Bisected;
pub use difference::Difference;
pub use failing_case::{FailingCase, FailureKind};
pub use family::families;
pub use file::FindingFile;
pub(crate) use folder::remove_unfinished;
pub use known_bugs::{KnownBug, KnownBugs};
pub use replay::{ReplayConfig, Replayed, read_findings, replay_findings};
pub use signature::Signature;
pub use triage::{Examined, Finding, Triage, TriageTargets};
