//! Internal processes: `metacov supervise`, `metacov load`, `metacov work`. They refuse to be
//! started by hand.

use std::ffi::OsString;
use std::path::Path;

use crate::exit_code::{ExitCode, Outcome};

/// Runs as a supervisor of targets. Errors are not printed; metacov detects that the process has
/// ended.
pub fn supervise(folder: &Path) -> Outcome {
    metacov_exec::require_metacov()?;
    metacov_exec::supervise(folder)?;
    Ok(ExitCode::Success)
}

#[derive(clap::Args)]
pub struct LoadArgs {
    /// A shared library and its arguments.
    #[arg(last = true, value_name = "LIBRARY")]
    words: Vec<OsString>,
}

/// Runs as a process that loads a library.
pub fn load(args: LoadArgs) -> Outcome {
    metacov_exec::require_metacov()?;
    metacov_exec::load(args.words)?;
    Ok(ExitCode::Success)
}

/// Runs as a process that generates tests and runs them.
pub fn work() -> Outcome {
    metacov_exec::require_metacov()?;
    metacov_campaign::work(metacov_targets::ALL)?;
    Ok(ExitCode::Success)
}
