//! SQLite, as a library that is loaded: in a process that serves no other purpose.

use std::ffi::{CString, c_void};
use std::io;
use std::path::Path;
use std::ptr;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use metacov_exec::LibraryMemory;

use super::connection::{Budget, Connection};
use super::functions::{Functions, code};
use super::random;

/// An SQLite that has been loaded. It stays loaded as long as the process lives.
pub(super) struct Engine {
    functions: Functions,
}

impl Engine {
    /// Loads a library.
    #[expect(unsafe_code, reason = "code of a target is loaded: see the safety comments")]
    pub(super) fn load(library: &Path) -> io::Result<Self> {
        let failed = |error: libloading::Error| io::Error::other(error.to_string());
        // SAFETY: whatever its constructors do, they do to this process, which serves no other
        // purpose.
        let library =
            unsafe { Library::open(Some(library), RTLD_NOW | RTLD_LOCAL) }.map_err(failed)?;
        // SAFETY: the types are those of sqlite3.h.
        let functions = unsafe { Functions::of(&library) }.map_err(failed)?;
        std::mem::forget(library);
        Ok(Engine { functions })
    }

    /// Its memory.
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
        // SAFETY: a name that ends with zero.
        unsafe { (self.functions.has_option)(name.as_ptr()) != 0 }
    }

    /// A new database in memory. What it does at random, such as to make up names, it does the same
    /// way each time.
    #[expect(unsafe_code, reason = "the interface of SQLite")]
    pub(super) fn open(&self) -> io::Result<Connection<'_>> {
        let functions = &self.functions;
        let mut db = ptr::null_mut();
        // SAFETY: a name that ends with zero, and a place for the result.
        let code = unsafe { (functions.open)(c":memory:".as_ptr(), &raw mut db) };
        let connection = Connection { functions, db, budget: Box::new(Budget::default()) };
        random::begin(functions);
        if code == code::OK { Ok(connection) } else { Err(io::Error::other(connection.message())) }
    }
}
