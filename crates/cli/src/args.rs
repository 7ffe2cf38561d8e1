//! Groups of options that several commands share.

pub mod choice;
pub mod count;
pub mod judge;
pub mod output;
pub mod run_file;
pub mod scope;
pub mod solver;
pub mod target;
