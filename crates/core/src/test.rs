//! Tests: inputs, outcomes, judges and verdicts.

mod case;
mod input;
mod judge;
mod outcome;
mod verdict;

pub use case::{Case, Size};
pub use input::{Input, Test};
pub use judge::Judge;
pub use outcome::{Outcome, Value};
pub use verdict::{Invalid, Verdict};
