//! One input in, one execution with its cover out.
//!
//! **The key design decision of this crate**: a target is never loaded into this process. It runs
//! as a process of its own, in a process group of its own, under a limit, and what it leaves
//! behind (counters in a folder that no other execution shares) is read after its end. So nothing
//! that it does can harm a measurement: a crash or a hang is a value.
//!
//! Executions are sides of groups ([`metacov_formats::Side`]), so that suites of them are folded
//! like suites of files.

mod execution;
mod pairs;
mod process;
mod target;
mod waiter;

pub use execution::Inputs;
pub use pairs::pairs_below;
pub use process::Limits;
pub use target::Target;
