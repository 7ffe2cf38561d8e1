//! Reads arbitrary bytes, and checks the result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use metacov_formats::{CoverageFile, CoverageLoader, Fault, Location, Scope};

use crate::ALLOCATOR;

/// More than any reader needs for a file of the size of a fixture: its buffers take less than one
/// MiB, the longest line, string or tag that it accepts a few.
pub const MEMORY_BYTES_MAX: usize = 64 << 20;

/// No message repeats a file at length.
const MESSAGE_BYTES_MAX: usize = 4000;

/// Reads the bytes. Returns the error message, if there is one; or what a reader must not do:
/// panic, use too much memory, or return an unhelpful message.
pub fn probe(bytes: Vec<u8>) -> Result<Option<String>, String> {
    probe_with(bytes.len() as u64, |loader| {
        CoverageFile::from_bytes(bytes).and_then(|input| loader.read(input, None)).map(drop)
    })
}

/// The same for any operation of a loader on files of this length.
pub fn probe_with(
    length: u64,
    read: impl FnOnce(&mut CoverageLoader<'_>) -> Result<(), Fault>,
) -> Result<Option<String>, String> {
    // Memory is counted for the whole process, so only one at a time.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let scope = Scope::default();
        read(&mut CoverageLoader::new(&scope))
    }));
    let taken = ALLOCATOR.peak_usage().saturating_sub(before);
    if taken > MEMORY_BYTES_MAX {
        return Err(format!("takes {} MiB", taken >> 20));
    }
    let Err(fault) = outcome.map_err(|_| "panics")? else { return Ok(None) };
    let message = fault.to_string();
    if message.is_empty() || message.len() > MESSAGE_BYTES_MAX {
        return Err(format!("ends in a message of {} bytes", message.len()));
    }
    if message.chars().any(char::is_control) {
        return Err(format!("hands control characters to the terminal: {message:?}"));
    }
    match fault {
        // The length of compressed content is not known here; it is not much longer.
        Fault::Malformed { place: Location::Offset(at) | Location::Line(at), .. }
            if at > 100 * length + 100 =>
        {
            Err(format!("points to no place in the file: {message}"))
        }
        _ => Ok(Some(message)),
    }
}
