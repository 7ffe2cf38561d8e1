//! Tests: inputs, outcomes, judges and verdicts.

mod answers;
mod case;
mod input;
mod judge;
mod outcome;
mod output_judge;
mod verdict;

pub use case::{Case, Size};
pub use input::{Input, Test};
pub use judge::Judge;
pub use outcome::{Outcome, Value};
pub use output_judge::{JudgeChoice, OutputJudge, SideOutput};
pub use verdict::{Invalid, Verdict};
