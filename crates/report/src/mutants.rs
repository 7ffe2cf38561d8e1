//! Mutants: which of them a suite kills, and what that says about the lines that it checks.

mod files;
mod tables;

use metacov_core::Suite;
use metacov_store::MutantRun;
use metacov_study::MutantOutcomes;

pub use files::MutantFormat;
pub(crate) use tables::percent;

/// What became of the mutants of a run, as tables and files.
pub struct MutantScores<'r>(pub(crate) MutantOutcomes<'r>);

impl<'r> MutantScores<'r> {
    /// Computes them from what is stored, and from the lines that the suite of the same run checks.
    pub fn new(run: &'r MutantRun, suite: &Suite) -> Self {
        MutantScores(MutantOutcomes::new(run, suite))
    }
}

#[cfg(test)]
mod tests;
