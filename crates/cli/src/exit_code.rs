//! Exit codes.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use metacov_campaign::CampaignError;
use metacov_formats::{Error, Fault};
use metacov_run::StopReason;
use metacov_study::conduct::ConductError;
use signal_hook::consts::{SIGHUP, SIGTERM};

/// The exit codes, for `--help`.
pub const HELP: &str = "\
Exit codes:
    0  success
    1  an output could not be written, or the system or a worker process failed
    2  invalid command line
    3  an input is missing, malformed, or of an unknown format or version
    4  the inputs come from different builds
    5  a number is below its --fail-under or --fail-drop, or a pair meets --fail-on
    6  a relation is violated
  130  interrupted: the results are those of the pairs so far (fuzz: also 129 and 143)";

/// The exit code of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// Success.
    Success = 0,
    /// An output could not be written, or something that metacov needs failed.
    Failure = 1,
    /// The command line is invalid. The parser of the command line ends with it too.
    Usage = 2,
    /// An input is missing, malformed or of an unknown format or version.
    BadInput = 3,
    /// The inputs come from different builds.
    DifferentBuilds = 4,
    /// A number is under its `--fail-under` or `--fail-drop`, or a pair meets `--fail-on`.
    UnderThreshold = 5,
    /// A relation is violated.
    Violated = 6,
    /// An interrupt ended the run, as shells count it.
    Interrupted = 130,
    /// The terminal was closed (SIGHUP).
    HungUp = 129,
    /// A batch system or a supervisor ended the run (SIGTERM).
    Terminated = 143,
}

/// The command line, or a study, is invalid.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// Returns a [`UsageError`]. Takes the arguments of `format!`.
macro_rules! bail_usage {
    ($($text:tt)*) => {
        return Err($crate::exit_code::UsageError(format!($($text)*)).into())
    };
}
pub(crate) use bail_usage;

/// An output could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {0}")]
pub struct Unwritten(pub Error);

impl ExitCode {
    /// Returns the exit code of a run that a signal has ended.
    pub fn of_signal(signal: &AtomicUsize) -> Self {
        match i32::try_from(signal.load(Relaxed)).unwrap_or_default() {
            SIGHUP => ExitCode::HungUp,
            SIGTERM => ExitCode::Terminated,
            _ => ExitCode::Interrupted,
        }
    }

    /// Returns the exit code for an error. Errors of other types are failures.
    pub fn of(error: &anyhow::Error) -> Self {
        let stop = error.downcast_ref().map(Self::of_stop);
        let campaign = || error.downcast_ref().map(Self::of_campaign);
        let conduct = || error.downcast_ref().map(Self::of_conduct);
        let output = || error.downcast_ref().map(|Unwritten(error)| Self::of_output(error));
        let input = || error.downcast_ref().map(Self::of_input);
        let usage = || error.is::<UsageError>().then_some(ExitCode::Usage);
        let code = stop.or_else(campaign).or_else(conduct).or_else(output).or_else(input);
        code.or_else(usage).unwrap_or(ExitCode::Failure)
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
            Fault::OtherBuild { .. } | Fault::OtherProgram { .. } | Fault::Rebuilt { .. } => {
                ExitCode::DifferentBuilds
            }
            _ => ExitCode::BadInput,
        }
    }

    fn of_output(error: &Error) -> Self {
        match &error.fault {
            // The reader of the output has closed it, as in `metacov diff a b | head`.
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
    use std::io;

    use anyhow::anyhow;
    use metacov_core::BuildMismatch;

    use super::*;

    fn code(error: impl Into<anyhow::Error>) -> ExitCode {
        ExitCode::of(&error.into())
    }

    fn fault(kind: ErrorKind) -> Error {
        Fault::Io(kind.into()).of("file")
    }

    fn other_build() -> Error {
        let mismatch = BuildMismatch { place: "file:1".to_owned() };
        Fault::OtherBuild { earlier: "other".to_owned(), mismatch }.of("file")
    }

    #[test]
    fn only_the_command_line_causes_usage_errors() {
        let typed = || -> anyhow::Result<()> { bail_usage!("missing {}", "--pairs") };
        let error = typed().unwrap_err();
        assert_eq!(
            (ExitCode::of(&error), error.to_string()),
            (ExitCode::Usage, "missing --pairs".to_owned())
        );
        assert_eq!(code(CampaignError::Invalid(String::new())), ExitCode::Usage);
        assert_eq!(code(ConductError::Invalid(String::new())), ExitCode::Usage);
        assert_eq!(code(anyhow!("of no type that is known")), ExitCode::Failure);
    }

    #[test]
    fn a_failure_of_a_worker_or_of_the_system_is_a_failure() {
        let failed = || io::Error::other("no more processes");
        assert_eq!(code(failed()), ExitCode::Failure);
        assert_eq!(code(anyhow::Error::from(failed()).context("worker 1")), ExitCode::Failure);
        assert_eq!(code(StopReason::System(failed())), ExitCode::Failure);
        assert_eq!(code(CampaignError::from(failed())), ExitCode::Failure);
        assert_eq!(code(CampaignError::Worker(String::new())), ExitCode::Failure);
        assert_eq!(code(ConductError::from(failed())), ExitCode::Failure);
        assert_eq!(code(ConductError::Failed(String::new())), ExitCode::Failure);
    }

    #[test]
    fn an_interrupt_has_its_own_code_in_every_error_type() {
        assert_eq!(code(StopReason::Interrupted), ExitCode::Interrupted);
        assert_eq!(code(CampaignError::Interrupted), ExitCode::Interrupted);
        assert_eq!(code(ConductError::Interrupted), ExitCode::Interrupted);
        // The system's "interrupted" is a failed call.
        assert_eq!(code(io::Error::from(ErrorKind::Interrupted)), ExitCode::Failure);
    }

    #[test]
    fn inputs_and_outputs_have_different_codes() {
        let missing = || fault(ErrorKind::NotFound);
        assert_eq!(code(missing()), ExitCode::BadInput);
        assert_eq!(code(StopReason::Input(missing())), ExitCode::BadInput);
        assert_eq!(code(CampaignError::Input(missing())), ExitCode::BadInput);
        assert_eq!(code(ConductError::Input(missing())), ExitCode::BadInput);
        assert_eq!(code(StopReason::Input(other_build())), ExitCode::DifferentBuilds);
        assert_eq!(code(Unwritten(missing())), ExitCode::Failure);
        assert_eq!(code(StopReason::Observer(missing())), ExitCode::Failure);
        assert_eq!(code(CampaignError::Output(missing())), ExitCode::Failure);
        assert_eq!(code(ConductError::Output(missing())), ExitCode::Failure);
        assert_eq!(code(Unwritten(fault(ErrorKind::BrokenPipe))), ExitCode::Success);
    }
}
