//! Executions that do not take place.

use std::io;
use std::time::Duration;

use rustix::io::Errno;

use crate::error::ExecError;

/// The pauses before each new attempt to start a process, while the system cannot start one.
pub(crate) const RETRY_PAUSES: [Duration; 5] = [
    Duration::from_millis(10),
    Duration::from_millis(30),
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_millis(600),
];

/// Why an execution did not take place, or did not finish.
#[derive(Debug, thiserror::Error)]
pub enum NotRun {
    /// The system could not start a process; it may later.
    #[error("its process could not be started: {0}")]
    NoRoom(io::Error),
    /// The supervisor of its processes was killed, and they with it.
    #[error("metacov's supervisor of its processes was killed")]
    SupervisorLost,
    /// The server that should have forked for it ended unexpectedly.
    #[error("the process that forks for each input has ended")]
    ServerEnded,
}

/// The error for a process that could not be started, given its errno.
pub(crate) fn not_started(number: i32) -> ExecError {
    let error = io::Error::from_raw_os_error(number);
    let is_short_of = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
    if is_short_of.iter().any(|errno| errno.raw_os_error() == number) {
        NotRun::NoRoom(error).into()
    } else {
        error.into()
    }
}
