//! Why a campaign, or what is done with its findings, cannot go on.

use std::io;

use metacov_formats::Error;

/// Why a campaign, or what is done with its findings, cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CampaignError {
    /// A file cannot be read, or is not what it should be.
    #[error(transparent)]
    Input(#[from] Error),
    /// A result cannot be written.
    #[error("cannot write {0}")]
    Output(#[source] Error),
    /// The system refused something, such as starting a process.
    #[error(transparent)]
    System(#[from] io::Error),
    /// The caller asks for what does not exist or cannot be done.
    #[error("{0}")]
    Invalid(String),
}
