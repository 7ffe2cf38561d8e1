//! Why a run, a campaign or a study ended early.

use std::io;

use metacov_exec::ExecError;
use metacov_formats::Error;

/// Why a run, a campaign or a study ended early. What went wrong decides the exit code.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An interrupt ended it; nothing is wrong, and what is complete is kept.
    #[error("interrupted")]
    Interrupted,
    /// An input cannot be read or run, or has unexpected contents.
    #[error(transparent)]
    Input(#[from] Error),
    /// A result cannot be written.
    #[error("cannot write {0}")]
    Output(#[source] Error),
    /// The system refused something, such as starting a process.
    #[error(transparent)]
    System(#[from] io::Error),
    /// A worker, or another program that is needed, failed.
    #[error("{0}")]
    Failed(String),
    /// The caller, or a study, asks for something that does not exist or cannot be done.
    #[error("{0}")]
    Invalid(String),
}

impl RunError {
    /// Adds the name of what failed, unless the error has it already.
    #[must_use]
    pub fn of(self, name: &str) -> Self {
        match self {
            RunError::System(error) => RunError::Failed(format!("{name}: {error}")),
            RunError::Failed(what) => RunError::Failed(format!("{name}: {what}")),
            other => other,
        }
    }
}

impl From<ExecError> for RunError {
    fn from(error: ExecError) -> Self {
        match error {
            ExecError::Interrupted => RunError::Interrupted,
            ExecError::Input(error) => RunError::Input(error),
            ExecError::NotRun(reason) => RunError::System(io::Error::other(reason)),
            ExecError::System(error) => RunError::System(error),
        }
    }
}
