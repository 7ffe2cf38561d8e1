//! Locates the fault that a pair shows: ranks code by suspicion.
//!
//! `docs/locate.md` has the formula, the reasons for it, and its results on known bugs.

mod evaluation;
mod frequency;
mod passing;
mod ranking;
mod symptom;

pub use evaluation::{Found, Shares, found, shares};
pub use frequency::Frequency;
pub use passing::{Passing, passing};
pub use ranking::{Formula, Ranking, SuspiciousLine, rank};
pub use symptom::{Symptom, Unfit, explore};
