//! The part of SQLite's interface that metacov uses.

use std::ffi::{CStr, c_char, c_int, c_void};

use libloading::os::unix::Library;

/// The result codes and operations that are needed here.
pub(super) mod code {
    use std::ffi::c_int;

    pub(in crate::sqlite) const OK: c_int = 0;
    pub(in crate::sqlite) const TOO_BIG: c_int = 18;
    pub(in crate::sqlite) const ROW: c_int = 100;
    pub(in crate::sqlite) const DONE: c_int = 101;
    pub(in crate::sqlite) const OPTIMIZATIONS: c_int = 15;
    pub(in crate::sqlite) const RANDOM_SEED: c_int = 28;
}

pub(super) type Db = *mut c_void;
pub(super) type Stmt = *mut c_void;

/// `sqlite3_vfs`, up to the last field that is used.
#[repr(C)]
pub(super) struct Vfs {
    numbers: [c_int; 3],
    pointers: [*mut c_void; 3],
    functions: [*mut c_void; 8],
    pub(super) randomness: unsafe extern "C" fn(*mut Vfs, c_int, *mut c_char) -> c_int,
}

/// The functions of SQLite that metacov calls.
pub(super) struct Functions {
    pub(super) open: unsafe extern "C" fn(*const c_char, *mut Db) -> c_int,
    pub(super) close: unsafe extern "C" fn(Db) -> c_int,
    pub(super) prepare:
        unsafe extern "C" fn(Db, *const c_char, c_int, *mut Stmt, *mut *const c_char) -> c_int,
    pub(super) step: unsafe extern "C" fn(Stmt) -> c_int,
    pub(super) finalize: unsafe extern "C" fn(Stmt) -> c_int,
    pub(super) column_count: unsafe extern "C" fn(Stmt) -> c_int,
    pub(super) column_type: unsafe extern "C" fn(Stmt, c_int) -> c_int,
    pub(super) column_int64: unsafe extern "C" fn(Stmt, c_int) -> i64,
    pub(super) column_double: unsafe extern "C" fn(Stmt, c_int) -> f64,
    pub(super) column_text: unsafe extern "C" fn(Stmt, c_int) -> *const u8,
    pub(super) column_blob: unsafe extern "C" fn(Stmt, c_int) -> *const u8,
    pub(super) column_bytes: unsafe extern "C" fn(Stmt, c_int) -> c_int,
    pub(super) error_message: unsafe extern "C" fn(Db) -> *const c_char,
    pub(super) error_code: unsafe extern "C" fn(Db) -> c_int,
    pub(super) progress_handler: unsafe extern "C" fn(
        Db,
        c_int,
        Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
        *mut c_void,
    ),
    pub(super) test_control: unsafe extern "C" fn(c_int, ...) -> c_int,
    pub(super) find_vfs: unsafe extern "C" fn(*const c_char) -> *mut Vfs,
    pub(super) randomness: unsafe extern "C" fn(c_int, *mut c_void),
    /// The version as text. A function call would be counted.
    version: *const c_char,
    pub(super) has_option: unsafe extern "C" fn(*const c_char) -> c_int,
}

impl Functions {
    #[expect(unsafe_code, reason = "symbols of a library have the types that we give them")]
    pub(super) unsafe fn of(library: &Library) -> Result<Self, libloading::Error> {
        macro_rules! find {
            // SAFETY: the caller guarantees the type.
            ($name:literal) => {
                *unsafe { library.get($name) }?
            };
        }
        Ok(Functions {
            open: find!(b"sqlite3_open\0"),
            close: find!(b"sqlite3_close\0"),
            prepare: find!(b"sqlite3_prepare_v2\0"),
            step: find!(b"sqlite3_step\0"),
            finalize: find!(b"sqlite3_finalize\0"),
            column_count: find!(b"sqlite3_column_count\0"),
            column_type: find!(b"sqlite3_column_type\0"),
            column_int64: find!(b"sqlite3_column_int64\0"),
            column_double: find!(b"sqlite3_column_double\0"),
            column_text: find!(b"sqlite3_column_text\0"),
            column_blob: find!(b"sqlite3_column_blob\0"),
            column_bytes: find!(b"sqlite3_column_bytes\0"),
            error_message: find!(b"sqlite3_errmsg\0"),
            error_code: find!(b"sqlite3_extended_errcode\0"),
            progress_handler: find!(b"sqlite3_progress_handler\0"),
            test_control: find!(b"sqlite3_test_control\0"),
            find_vfs: find!(b"sqlite3_vfs_find\0"),
            randomness: find!(b"sqlite3_randomness\0"),
            version: find!(b"sqlite3_version\0"),
            has_option: find!(b"sqlite3_compileoption_used\0"),
        })
    }

    /// The version, such as 3.54.1.
    #[expect(unsafe_code, reason = "a text of the library")]
    pub(super) fn version(&self) -> String {
        // SAFETY: it is terminated by zero, and lives as long as the library.
        unsafe { CStr::from_ptr(self.version) }.to_string_lossy().into_owned()
    }

    /// The minor version, such as 54 of 3.54.1.
    pub(super) fn minor_version(&self) -> u16 {
        minor(&self.version())
    }
}

fn minor(version: &str) -> u16 {
    version.split('.').nth(1).and_then(|minor| minor.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minor_version_is_the_second_number() {
        assert_eq!(["3.8.2", "3.29.0", "3.54.1", "three"].map(minor), [8, 29, 54, 0]);
    }
}
