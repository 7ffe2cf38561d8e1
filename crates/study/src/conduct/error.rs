//! Why a study cannot go on.

use std::io;

use metacov_campaign::CampaignError;
use metacov_formats::Error;

/// Why a study cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConductError {
    /// A file cannot be read, or the parts of a study do not belong together.
    #[error(transparent)]
    Input(#[from] Error),
    /// A result cannot be written.
    #[error("cannot write {0}")]
    Output(#[source] Error),
    /// The system refused something, such as starting a process.
    #[error(transparent)]
    System(#[from] io::Error),
    /// The same, with what it was needed for.
    #[error("{what}")]
    SystemFor {
        /// What could not be done.
        what: String,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The study asks for what cannot be done, or a program of it failed.
    #[error("{0}")]
    Invalid(String),
}

impl From<CampaignError> for ConductError {
    fn from(error: CampaignError) -> Self {
        match error {
            CampaignError::Input(error) => ConductError::Input(error),
            CampaignError::Output(error) => ConductError::Output(error),
            CampaignError::System(error) => ConductError::System(error),
            other => ConductError::Invalid(other.to_string()),
        }
    }
}
