//! Signals that ask a campaign to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// What signals have to say.
pub struct Interrupts {
    pub interrupted: Arc<AtomicBool>,
    /// Which one it was; zero if none.
    pub signal: Arc<AtomicUsize>,
}

/// Set by the first signal that asks to end; the second one ends at once.
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
