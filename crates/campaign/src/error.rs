//! Why generated tests, or what is done with their findings, cannot go on.

use std::io;

use metacov_exec::ExecError;
use metacov_formats::Error;
use metacov_run::{JobError, StopReason};

/// Why generated tests, or what is done with their findings, cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// An interrupt ended it: nothing is wrong.
    #[error("interrupted")]
    Interrupted,
    /// A file cannot be read, or is not what it should be.
    #[error(transparent)]
    Input(#[from] Error),
    /// A result cannot be written.
    #[error("cannot write {0}")]
    Output(#[source] Error),
    /// The system refused something, such as starting a process.
    #[error(transparent)]
    System(#[from] io::Error),
    /// A worker does not start, reports a failure, or breaks the protocol.
    #[error("{0}")]
    Worker(String),
    /// The caller asks for what does not exist or cannot be done.
    #[error("{0}")]
    Invalid(String),
}

impl CampaignError {
    /// The same with what failed in front, where the error itself does not say it.
    #[must_use]
    pub fn of(self, name: &str) -> Self {
        match self {
            CampaignError::System(error) => CampaignError::Worker(format!("{name}: {error}")),
            CampaignError::Worker(what) => CampaignError::Worker(format!("{name}: {what}")),
            other => other,
        }
    }

    /// A worker breaks the protocol.
    pub(crate) fn unexpected_reply() -> Self {
        CampaignError::Worker("unexpected reply from a worker".to_owned())
    }
}

impl JobError for CampaignError {
    fn is_interrupt(&self) -> bool {
        matches!(self, CampaignError::Interrupted)
    }
}

impl From<ExecError> for CampaignError {
    fn from(error: ExecError) -> Self {
        match error {
            ExecError::Interrupted => CampaignError::Interrupted,
            ExecError::Input(error) => CampaignError::Input(error),
            ExecError::NotRun(reason) => CampaignError::System(io::Error::other(reason)),
            ExecError::System(error) => CampaignError::System(error),
        }
    }
}

impl From<StopReason> for CampaignError {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Interrupted => CampaignError::Interrupted,
            StopReason::Input(error) => CampaignError::Input(error),
            StopReason::Observer(error) => CampaignError::Output(error),
            StopReason::System(error) => CampaignError::System(error),
        }
    }
}
