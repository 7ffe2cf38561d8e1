//! Why a run came to an early end.

use std::io;

use metacov_exec::ExecError;
use metacov_formats::Error;

/// Why a run came to an early end.
#[derive(Debug, thiserror::Error)]
pub enum StopReason {
    /// An interrupt ended it: nothing is wrong, and nothing that was done is lost.
    #[error("interrupted")]
    Interrupted,
    /// A group could not be run or read.
    #[error(transparent)]
    Input(#[from] Error),
    /// An observer could not take in a group.
    #[error("cannot write {0}")]
    Observer(#[source] Error),
    /// The system refused something, such as starting a process.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// What a job of the pool may end with.
pub trait JobError: Send {
    /// Whether it was ended by an interrupt: then nothing is wrong.
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
