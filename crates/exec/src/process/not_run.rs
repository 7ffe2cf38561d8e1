//! Executions that do not take place.

use std::io;
use std::time::Duration;

use rustix::io::Errno;

use crate::error::ExecError;

/// How long to wait before each new attempt to start a process, while the system has no room for one.
pub(crate) const RETRY_PAUSES: [Duration; 5] = [
    Duration::from_millis(10),
    Duration::from_millis(30),
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_millis(600),
];

/// Why an execution did not take place, or did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum NotRun {
    /// The system had no room for its process, and may have later.
    #[error("its process could not be started: {0}")]
    NoRoom(io::Error),
    /// The supervisor of its processes was killed, and they with it.
    #[error("metacov's supervisor of its processes was killed")]
    SupervisorLost,
    /// The server that should have forked for it has ended by itself.
    #[error("the process that forks for each input has ended")]
    ServerEnded,
}

/// The error of a process that could not be started, by its number.
pub(crate) fn not_started(number: i32) -> ExecError {
    let error = io::Error::from_raw_os_error(number);
    let is_short_of = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
    if is_short_of.iter().any(|errno| errno.raw_os_error() == number) {
        NotRun::NoRoom(error).into()
    } else {
        error.into()
    }
}
