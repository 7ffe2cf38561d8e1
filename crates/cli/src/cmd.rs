//! One file for each subcommand.

pub mod completions;
pub mod diff;
pub mod man;
