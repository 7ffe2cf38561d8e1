//! Findings: failures that a campaign encounters, confirmed and reduced.
//!
//! A [`FailingCase`] is what the loop reports. The [`Triage`] reruns it in new processes, which
//! gives a [`ConfirmedCase`](confirm::ConfirmedCase). Unless many similar ones came before, it
//! reduces the case, measures which code only one of its sides runs, and computes a [`Signature`].
//! The result is a [`Finding`]: a folder that can be replayed. `docs/fuzzing.md` explains the
//! signature.

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
pub use replay::{
    ReplayConfig, Replayed, check_trust, missing_releases, read_findings, refused, replay_findings,
};
pub use signature::Signature;
pub use triage::{Examined, Finding, Triage, TriageTargets};
