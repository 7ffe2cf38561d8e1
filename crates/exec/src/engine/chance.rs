//! What SQLite does at random, such as to make up names and numbers of rows: the same way each time.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use super::functions::{Functions, Vfs, code};

/// The first minor version that can be told a seed.
const SEED_SINCE: u32 = 30;

/// Has random numbers begin anew.
#[expect(unsafe_code, reason = "the interface of SQLite")]
pub(super) fn begin(functions: &Functions) {
    // SAFETY: a text of SQLite's own. The functions take a number and a database, which may be null, and the name of a file
    // system, where null is the default one; that lives as long as the library, and nobody uses it now.
    unsafe {
        if takes_seed(CStr::from_ptr(functions.version_text)) {
            (functions.test_control)(code::RANDOM_SEED, 1, ptr::null_mut::<c_void>());
            return;
        }
        // It asks the file system for a seed, whenever it has forgotten the last.
        if let Some(vfs) = (functions.find_vfs)(ptr::null()).as_mut() {
            vfs.randomness = zeros;
        }
        (functions.randomness)(0, ptr::null_mut());
    }
}

fn takes_seed(version: &CStr) -> bool {
    let minor = version.to_str().ok().and_then(|text| text.split('.').nth(1)?.parse::<u32>().ok());
    minor.is_none_or(|minor| minor >= SEED_SINCE)
}

/// A seed that is no surprise.
#[expect(unsafe_code, reason = "called by SQLite")]
unsafe extern "C" fn zeros(_: *mut Vfs, bytes: c_int, seed: *mut c_char) -> c_int {
    // SAFETY: there is room for so many.
    unsafe { ptr::write_bytes(seed, 0, usize::try_from(bytes).unwrap_or_default()) };
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_since_three_thirty_take_a_seed() {
        let versions = [c"3.8.2", c"3.29.0", c"3.30.0", c"3.54.1"];
        assert_eq!(versions.map(takes_seed), [false, false, true, true]);
    }
}
