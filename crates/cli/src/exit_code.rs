//! Exit codes.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use metacov_formats::{Error, Fault};
use metacov_report::Conclusion;
use metacov_run::RunError;
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

/// How a command ends.
pub type Outcome = Result<ExitCode, RunError>;

/// Returns a [`RunError::Invalid`]. Takes the arguments of `format!`.
macro_rules! bail_usage {
    ($($text:tt)*) => {
        return Err(metacov_run::RunError::Invalid(format!($($text)*)))
    };
}
pub(crate) use bail_usage;

impl ExitCode {
    /// Returns the exit code of a run that a signal has ended.
    pub fn of_signal(signal: &AtomicUsize) -> Self {
        match i32::try_from(signal.load(Relaxed)).unwrap_or_default() {
            SIGHUP => ExitCode::HungUp,
            SIGTERM => ExitCode::Terminated,
            _ => ExitCode::Interrupted,
        }
    }

    /// Returns the exit code for an error.
    pub fn of(error: &RunError) -> Self {
        match error {
            RunError::Interrupted => ExitCode::Interrupted,
            RunError::Input(error) => Self::of_input(error),
            RunError::Output(error) => Self::of_output(error),
            RunError::System(_) | RunError::Failed(_) => ExitCode::Failure,
            RunError::Invalid(_) => ExitCode::Usage,
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

impl From<Conclusion> for ExitCode {
    fn from(conclusion: Conclusion) -> Self {
        match conclusion {
            Conclusion::Passed => ExitCode::Success,
            Conclusion::Violated => ExitCode::Violated,
            Conclusion::UnderThreshold => ExitCode::UnderThreshold,
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

    use metacov_core::BuildMismatch;

    use super::*;

    #[test]
    fn every_kind_of_error_has_a_code() {
        let file = |kind: ErrorKind| Fault::Io(kind.into()).of("file");
        let mismatch = BuildMismatch { place: "file:1".to_owned() };
        let other_build = Fault::OtherBuild { earlier: "other".to_owned(), mismatch }.of("file");
        let typed = || -> Result<(), RunError> { bail_usage!("missing {}", "--pairs") };
        let codes = [
            (typed().unwrap_err(), ExitCode::Usage),
            (RunError::Failed(String::new()), ExitCode::Failure),
            (RunError::System(io::Error::other("no more processes")), ExitCode::Failure),
            (RunError::Interrupted, ExitCode::Interrupted),
            // The system's "interrupted" is a failed call.
            (io::Error::from(ErrorKind::Interrupted).into(), ExitCode::Failure),
            (file(ErrorKind::NotFound).into(), ExitCode::BadInput),
            (other_build.into(), ExitCode::DifferentBuilds),
            (RunError::Output(file(ErrorKind::NotFound)), ExitCode::Failure),
            (RunError::Output(file(ErrorKind::BrokenPipe)), ExitCode::Success),
        ];
        for (error, code) in codes {
            assert_eq!(ExitCode::of(&error), code, "{error:?}");
        }
    }
}
