//! Signals that end a run.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

/// Returns a flag that an interrupt sets from now on.
pub fn interrupted() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, interrupted.clone())?;
    }
    Ok(interrupted)
}

/// From now on, a limit on the size of files is an error like a full disk, not the end of the process.
pub fn ignore_file_limit() -> io::Result<()> {
    flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}

/// The signals that a campaign has received.
pub struct Interrupts {
    pub interrupted: Arc<AtomicBool>,
    /// The first signal; zero if none.
    pub signal: Arc<AtomicUsize>,
}

/// Installs handlers: the first signal sets the flag, the second ends the process at once.
pub fn interrupts() -> io::Result<Interrupts> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let first = Arc::new(AtomicUsize::new(0));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register_conditional_shutdown(signal, 128 + signal, interrupted.clone())?;
        flag::register_usize(signal, first.clone(), usize::try_from(signal).unwrap_or_default())?;
        flag::register(signal, interrupted.clone())?;
    }
    ignore_file_limit()?;
    Ok(Interrupts { interrupted, signal: first })
}
