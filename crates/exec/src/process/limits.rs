//! Limits of time and memory.

use std::time::Duration;

/// The limits of one execution.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub wall: Duration,
    /// Time between SIGTERM and SIGKILL, and how long orphaned descendants may keep running.
    pub grace: Duration,
    /// Processor time, if that is limited too.
    pub cpu: Option<Duration>,
    /// Memory, if that is limited.
    pub memory_bytes: Option<u64>,
}

/// Rounded up: the system limits processor time in whole seconds.
pub(crate) fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}
