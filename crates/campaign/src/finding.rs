//! Findings: what a campaign meets, looked into until it is worth somebody's time.
//!
//! A [`Suspect`] is what the loop saw. The [`Investigator`] runs it again in processes of their own, which gives a
//! [`Sketch`](sketch::Sketch); unless that looks like many before, it makes it as small as it gets, measures what its sides run
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
pub use investigator::{Equipment, Examined, Finding, Investigator, Size};
pub use known::{Known, KnownBug};
pub use replay::Replayed;
pub use signature::Signature;
pub use suspect::{Suspect, What};
