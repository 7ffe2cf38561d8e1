//! Where the fault is that a pair shows: code ranked by suspicion.
//!
//! `docs/locate.md` has the formula, why it is this one, and how well it does on known bugs.

mod evaluation;
mod frequency;
mod passing;
mod ranking;
mod symptom;

pub use evaluation::{Found, Shares, found, shares};
pub use frequency::Frequency;
pub use passing::{Passing, passing};
pub use ranking::{Formula, Ranking, Suspect, rank};
pub use symptom::{Symptom, Unfit, explore};
