//! Processes that metacov starts itself: `metacov supervise`, `metacov load`, `metacov work`. Started by hand, they refuse.

use std::ffi::OsString;
use std::path::Path;

use crate::exit_code::ExitCode;

/// Becomes a supervisor of targets. It has nobody to talk to; metacov sees that it is gone.
pub fn supervise(folder: &Path) -> anyhow::Result<ExitCode> {
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

/// Becomes a process that runs a library.
pub fn load(args: LoadArgs) -> anyhow::Result<ExitCode> {
    metacov_exec::require_metacov()?;
    metacov_exec::load(args.words)?;
    Ok(ExitCode::Success)
}

/// Becomes a process that makes tests and runs them.
pub fn work() -> anyhow::Result<ExitCode> {
    metacov_exec::require_metacov()?;
    metacov_campaign::work(metacov_targets::ALL)?;
    Ok(ExitCode::Success)
}
