//! `metacov diff`

mod args;
mod run;

pub use args::Args;
pub use run::run;
