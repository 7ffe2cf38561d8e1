//! Why a run ended early.

use std::io;

use metacov_exec::ExecError;
use metacov_formats::Error;

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum StopReason {
    /// An interrupt ended it; nothing is wrong, and completed groups are kept.
    #[error("interrupted")]
    Interrupted,
    /// A group could not be run or read.
    #[error(transparent)]
    Input(#[from] Error),
    /// An observer failed to process a group.
    #[error("cannot write {0}")]
    Observer(#[source] Error),
    /// The system refused something, such as starting a process.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// An error of a job of the pool.
pub trait JobError: Send {
    /// Whether an interrupt ended it, so that nothing is wrong.
    fn is_interrupt(&self) -> bool;
}

impl JobError for StopReason {
    fn is_interrupt(&self) -> bool {
        matches!(self, StopReason::Interrupted)
    }
}

impl From<ExecError> for StopReason {
    fn from(error: ExecError) -> Self {
        match error {
            ExecError::Interrupted => StopReason::Interrupted,
            ExecError::Input(error) => StopReason::Input(error),
            ExecError::NotRun(reason) => StopReason::System(io::Error::other(reason)),
            ExecError::System(error) => StopReason::System(error),
        }
    }
}
