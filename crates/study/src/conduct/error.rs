//! Errors of studies.

use std::io;

use metacov_campaign::CampaignError;
use metacov_formats::Error;

/// Why a study cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum ConductError {
    /// An interrupt ended it; nothing is wrong.
    #[error("interrupted")]
    Interrupted,
    /// A file cannot be read, or the parts of a study do not belong together.
    #[error(transparent)]
    Input(#[from] Error),
    /// A result cannot be written.
    #[error("cannot write {0}")]
    Output(#[source] Error),
    /// The system refused something, such as starting a process.
    #[error(transparent)]
    System(#[from] io::Error),
    /// A worker, or another program that a study needs, failed.
    #[error("{0}")]
    Failed(String),
    /// The study, or the caller, asks for something that cannot be done.
    #[error("{0}")]
    Invalid(String),
}

impl From<CampaignError> for ConductError {
    fn from(error: CampaignError) -> Self {
        match error {
            CampaignError::Interrupted => ConductError::Interrupted,
            CampaignError::Input(error) => ConductError::Input(error),
            CampaignError::Output(error) => ConductError::Output(error),
            CampaignError::System(error) => ConductError::System(error),
            CampaignError::Worker(what) => ConductError::Failed(what),
            CampaignError::Invalid(what) => ConductError::Invalid(what),
        }
    }
}
