//! Errors of generated tests and of findings.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use metacov_core::command_line;
use metacov_exec::ExecError;
use metacov_formats::Error;
use metacov_run::{JobError, StopReason};

/// Why generating tests, or examining their findings, cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// An interrupt ended it; nothing is wrong.
    #[error("interrupted")]
    Interrupted,
    /// A file cannot be read, or has unexpected contents.
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
    /// The caller asks for something that does not exist or cannot be done.
    #[error("{0}")]
    Invalid(String),
}

impl CampaignError {
    /// Adds the name of what failed, unless the error has it already.
    #[must_use]
    pub fn of(self, name: &str) -> Self {
        match self {
            CampaignError::System(error) => CampaignError::Worker(format!("{name}: {error}")),
            CampaignError::Worker(what) => CampaignError::Worker(format!("{name}: {what}")),
            other => other,
        }
    }

    /// `name` was made on this library, as it says itself. `command` is what the user typed.
    pub fn untrusted_library(name: &str, library: &Path, command: &str) -> Self {
        CampaignError::Invalid(format!(
            "{name}: made on the library {}, and metacov loads no code that a file names; if you trust it: {command} {}",
            library.display(),
            command_line([OsStr::new("--library"), library.as_os_str()])
        ))
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
