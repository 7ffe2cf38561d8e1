//! SQLite's random choices, such as generated names and row ids, made repeatable.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use super::functions::{Functions, Vfs, code};

/// The first minor version that accepts a seed.
const SEED_SINCE: u16 = 30;

/// Restarts the random numbers.
#[expect(unsafe_code, reason = "the interface of SQLite")]
pub(super) fn begin(functions: &Functions) {
    // SAFETY: these take a number and a database, which may be null, and the name of a file system,
    // where null is the default one. That lives as long as the library, and is not in use now.
    unsafe {
        if functions.minor_version() >= SEED_SINCE {
            (functions.test_control)(code::RANDOM_SEED, 1, ptr::null_mut::<c_void>());
            return;
        }
        // SQLite asks the file system for a seed whenever its generator is reset.
        if let Some(vfs) = (functions.find_vfs)(ptr::null()).as_mut() {
            vfs.randomness = zeros;
        }
        (functions.randomness)(0, ptr::null_mut());
    }
}

/// A fixed seed.
#[expect(unsafe_code, reason = "called by SQLite")]
unsafe extern "C" fn zeros(_: *mut Vfs, bytes: c_int, seed: *mut c_char) -> c_int {
    // SAFETY: the buffer has this size.
    unsafe { ptr::write_bytes(seed, 0, usize::try_from(bytes).unwrap_or_default()) };
    bytes
}
