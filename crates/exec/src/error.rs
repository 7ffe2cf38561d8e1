//! Why an execution has no result. What a program does, a crash included, is a result.

use std::io;

use metacov_formats::{Error, Fault};

use crate::process::not_run::NotRun;

/// Why an execution has no result.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// An interrupt ended it; nothing is wrong.
    #[error("interrupted")]
    Interrupted,
    /// The input, the program or its counters cannot be read or run.
    #[error(transparent)]
    Input(#[from] Error),
    /// A reason outside the program: only this execution is missing.
    #[error(transparent)]
    NotRun(#[from] NotRun),
    /// The system refused something, such as starting a process.
    #[error(transparent)]
    System(#[from] io::Error),
}

impl ExecError {
    /// Adds the name of the execution, if the error has none yet.
    pub(crate) fn of(self, name: impl Into<String>) -> Self {
        match self {
            ExecError::System(error) => ExecError::Input(Fault::Io(error).of(name)),
            other => other,
        }
    }
}
