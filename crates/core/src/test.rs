//! Tests: what is run, what came of it, and how it is judged.

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
