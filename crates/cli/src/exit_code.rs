//! What the process ends with.

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use metacov_campaign::CampaignError;
use metacov_formats::{Error, Fault};
use metacov_run::StopReason;
use metacov_study::conduct::ConductError;
use signal_hook::consts::{SIGHUP, SIGTERM};

/// The exit codes, for `--help`.
pub const HELP: &str = "\
Exit codes:
  0  done
  1  an output could not be written, or something that metacov needs failed (a worker, the system)
  2  the command line makes no sense
  3  an input is missing, malformed or of an unknown format or version
  4  the inputs come from different builds
  5  a number is under its --fail-under
  6  a relation is violated
130  interrupted; what was shown and written is of the pairs until then
     (fuzz: 129, 130 or 143, by the signal that ended it)";

/// What the process ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// Done.
    Success = 0,
    /// An output could not be written, or something that metacov needs failed.
    Failure = 1,
    /// The command line makes no sense. The parser of the command line ends with it too.
    Usage = 2,
    /// An input is missing, malformed or of an unknown format or version.
    BadInput = 3,
    /// The inputs come from different builds.
    DifferentBuilds = 4,
    /// A number is under its `--fail-under`.
    UnderThreshold = 5,
    /// A relation is violated.
    Violated = 6,
    /// An interrupt ended the run, as shells count it.
    Interrupted = 130,
    /// The same by the end of the terminal (SIGHUP).
    HungUp = 129,
    /// The same by a batch system or a supervisor (SIGTERM).
    Terminated = 143,
}

/// An output could not be written.
#[derive(Debug)]
pub struct Unwritten(pub Error);

impl std::fmt::Display for Unwritten {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot write {}", self.0)
    }
}

impl std::error::Error for Unwritten {}

impl ExitCode {
    /// What a run ends with that a signal has ended, by its number.
    pub fn of_signal(signal: &AtomicUsize) -> Self {
        match i32::try_from(signal.load(Relaxed)).unwrap_or_default() {
            SIGHUP => ExitCode::HungUp,
            SIGTERM => ExitCode::Terminated,
            _ => ExitCode::Interrupted,
        }
    }

    /// What an error means for the process.
    pub fn of(error: &anyhow::Error) -> Self {
        if let Some(error) = error.downcast_ref() {
            return Self::of_stop(error);
        }
        if let Some(error) = error.downcast_ref() {
            return Self::of_campaign(error);
        }
        if let Some(error) = error.downcast_ref() {
            return Self::of_conduct(error);
        }
        if let Some(Unwritten(error)) = error.downcast_ref() {
            return Self::of_output(error);
        }
        if let Some(error) = error.downcast_ref() {
            return Self::of_input(error);
        }
        // Nothing that the user has typed.
        if error.chain().any(<dyn std::error::Error>::is::<io::Error>) {
            return ExitCode::Failure;
        }
        ExitCode::Usage
    }

    fn of_stop(reason: &StopReason) -> Self {
        match reason {
            StopReason::Interrupted => ExitCode::Interrupted,
            StopReason::Input(error) => Self::of_input(error),
            StopReason::Observer(error) => Self::of_output(error),
            StopReason::System(_) => ExitCode::Failure,
        }
    }

    fn of_campaign(error: &CampaignError) -> Self {
        match error {
            CampaignError::Interrupted => ExitCode::Interrupted,
            CampaignError::Input(error) => Self::of_input(error),
            CampaignError::Output(error) => Self::of_output(error),
            CampaignError::System(_) | CampaignError::Worker(_) => ExitCode::Failure,
            CampaignError::Invalid(_) => ExitCode::Usage,
        }
    }

    fn of_conduct(error: &ConductError) -> Self {
        match error {
            ConductError::Interrupted => ExitCode::Interrupted,
            ConductError::Input(error) => Self::of_input(error),
            ConductError::Output(error) => Self::of_output(error),
            ConductError::System(_) | ConductError::Failed(_) => ExitCode::Failure,
            ConductError::Invalid(_) => ExitCode::Usage,
        }
    }

    fn of_input(error: &Error) -> Self {
        match error.fault {
            Fault::OtherBuild { .. } => ExitCode::DifferentBuilds,
            _ => ExitCode::BadInput,
        }
    }

    fn of_output(error: &Error) -> Self {
        match &error.fault {
            // The reader of our output has closed it, as in `metacov diff a b | head`.
            Fault::Io(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::Success,
            _ => ExitCode::Failure,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        std::process::ExitCode::from(code as u8)
    }
}

#[cfg(test)]
mod tests {
    use anyhow::{Context, anyhow};

    use super::*;

    #[test]
    fn a_failure_of_the_system_is_no_usage_error() {
        let failed = || io::Error::other("a worker does not start");
        assert_eq!(ExitCode::of(&anyhow!("--pairs is needed")), ExitCode::Usage);
        assert_eq!(ExitCode::of(&failed().into()), ExitCode::Failure);
        let with_context = Err::<(), _>(failed()).context("worker 1").unwrap_err();
        assert_eq!(ExitCode::of(&with_context), ExitCode::Failure);
    }
}
