//! SQLite as a loaded library, in a process with no other purpose.

use std::ffi::{CString, c_void};
use std::io;
use std::path::Path;
use std::ptr;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use metacov_exec::LibraryMemory;

use super::connection::{Budget, Connection};
use super::functions::{Functions, code};
use super::random;

/// A loaded SQLite. It stays loaded as long as the process lives.
pub(super) struct Engine {
    functions: Functions,
}

impl Engine {
    /// Loads a library.
    #[expect(unsafe_code, reason = "code of a target is loaded: see the safety comments")]
    pub(super) fn load(library: &Path) -> io::Result<Self> {
        let failed = |error: libloading::Error| io::Error::other(error.to_string());
        // SAFETY: its constructors can do anything to this process, which has no other purpose.
        let library =
            unsafe { Library::open(Some(library), RTLD_NOW | RTLD_LOCAL) }.map_err(failed)?;
        // SAFETY: the types are those of sqlite3.h.
        let functions = unsafe { Functions::of(&library) }.map_err(failed)?;
        std::mem::forget(library);
        Ok(Engine { functions })
    }

    /// The memory of the library.
    pub(super) fn memory(&self) -> io::Result<LibraryMemory> {
        LibraryMemory::at(self.functions.open as *const c_void)
    }

    /// Its version, such as 3.54.1.
    pub(super) fn version(&self) -> String {
        self.functions.version()
    }

    /// Whether it was compiled with an option, such as `ENABLE_FTS5`.
    #[expect(unsafe_code, reason = "the interface of SQLite")]
    pub(super) fn has_option(&self, name: &str) -> bool {
        let Ok(name) = CString::new(name) else { return false };
        // SAFETY: the name is terminated by zero.
        unsafe { (self.functions.has_option)(name.as_ptr()) != 0 }
    }

    /// Opens a new database in memory. Its random choices, such as generated names, are the same
    /// each time.
    #[expect(unsafe_code, reason = "the interface of SQLite")]
    pub(super) fn open(&self) -> io::Result<Connection<'_>> {
        let functions = &self.functions;
        let mut db = ptr::null_mut();
        // SAFETY: the name is terminated by zero, and the result has a place.
        let code = unsafe { (functions.open)(c":memory:".as_ptr(), &raw mut db) };
        let connection = Connection { functions, db, budget: Box::new(Budget::default()) };
        random::begin(functions);
        if code == code::OK { Ok(connection) } else { Err(io::Error::other(connection.message())) }
    }
}
