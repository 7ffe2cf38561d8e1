//! Signals that end a campaign.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The signals received.
pub struct Interrupts {
    pub interrupted: Arc<AtomicBool>,
    /// The first signal; zero if none.
    pub signal: Arc<AtomicUsize>,
}

/// Installs handlers: the first signal sets the flag, the second ends the process at once.
pub fn interrupts() -> anyhow::Result<Interrupts> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let first = Arc::new(AtomicUsize::new(0));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register_conditional_shutdown(
            signal,
            128 + signal,
            interrupted.clone(),
        )?;
        signal_hook::flag::register_usize(signal, first.clone(), usize::try_from(signal)?)?;
        signal_hook::flag::register(signal, interrupted.clone())?;
    }
    // A limit on the size of files is an error like a full disk, not the end of the process.
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(Interrupts { interrupted, signal: first })
}
