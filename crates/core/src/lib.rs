//! Sites, covers, pairs and the algebra of metamorphic coverage.
//!
//! The paper's figure, which shows the whole computation:
//!
//! ```
//! use metacov_core::{Cover, Pair};
//!
//! let covers = Pair {
//!     a: Cover::from([2, 4, 5, 6, 7]),
//!     b: Cover::from([2, 3, 4, 6, 7]),
//! };
//! let mut total = covers.difference();
//! assert_eq!(total, Cover::from([3, 5]));
//!
//! // A second pair differs in line 5 alone. The suite's coverage is the union of the differences.
//! total |= &Cover::from([5]);
//! assert_eq!(total, Cover::from([3, 5]));
//! ```
//!
//! The faulty absolute difference that motivates it (lines 2 to 7 of the paper's first listing).
//! Both relations run every line, but only the first can detect the fault in line 5:
//!
//! ```
//! # use metacov_core::{Cover, Pair};
//! let greater = || Cover::from([2, 3, 7]); // x > y
//! let smaller = || Cover::from([2, 5, 7]);
//!
//! // R1 swaps the two numbers: the sides take different paths.
//! assert_eq!(Pair { a: smaller(), b: greater() }.difference(), Cover::from([3, 5]));
//! // R2 adds a constant to both: the sides take the same path.
//! assert_eq!(Pair { a: greater(), b: greater() }.difference(), Cover::from([]));
//! ```
//!
//! **The key design decision of this crate** is one dense numbering of everything that can be
//! covered: a [`SiteTable`] gives each line, branch, function and region of a build a number, and a
//! [`Cover`] is a bit set over those numbers. Counters of any kind are projected to sites *first*;
//! what remains is exclusive-or at memory speed, the same for all criteria at once.
//!
//! The crate is pure: no input, no output, no clock; random choices come from a seed.

mod code_file;
mod command_line;
mod context;
mod counted;
mod cover;
mod error;
mod execution;
mod fingerprint;
mod method;
mod rng;
mod sites;
mod success_rates;
mod tally;
mod test;

pub use code_file::CodeFile;
pub use command_line::{command_line, split_command_line};
pub use context::{Context, PairResult, Setup, StoredInput, Violation};
pub use counted::{counted, first_names, thousands};
pub use cover::{Cover, Group, Operation, Pair, Reading, codec};
pub use error::{BuildMismatch, GroupTooSmall, ReductionStopped};
pub use execution::{Exit, Failure, Missing};
pub use fingerprint::Fingerprint;
pub use method::{
    Effort, Facts, Language, Method, Reduction, RelationInfo, SetupStep, StillFails, Subject,
    Variant,
};
pub use rng::{Recipe, Rng, seed};
pub use sites::{
    BranchKey, BranchNaming, BuildId, Criteria, Criterion, Element, FileId, Mark, Renumbering,
    Site, SiteId, SiteTable, Span, Symbol, TableData, TableId, absorb_run, same_build,
};
pub use success_rates::{Success, SuccessRates};
pub use tally::{
    Curve, FunctionKey, Functions, Growth, Point, SharedCriteria, SiteState, Suite, SuiteFold,
    Summaries, Summary, Tally, Warning, by_file, by_function, total,
};
pub use test::{
    Case, Input, Invalid, Judge, JudgeChoice, Outcome, OutputJudge, SideOutput, Size, Test, Value,
    Verdict,
};
