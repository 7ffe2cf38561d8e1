//! Findings: what a campaign meets, looked into until it is worth somebody's time.
//!
//! A [`Suspect`] is what the loop saw. The [`Investigator`] runs it again in processes of their own, makes it as small
//! as it gets, measures what its sides run differently and gives it a [`Signature`]. What is left is a [`Finding`]: a
//! folder that anybody can replay. `docs/fuzzing.md` says what the signature means.

mod difference;
mod examine;
mod investigator;
mod known;
mod signature;
mod suspect;

pub use difference::Difference;
pub use investigator::{Equipment, Examined, Finding, Investigator, Size};
pub use known::{Known, KnownBug};
pub use signature::Signature;
pub use suspect::{Suspect, What};
