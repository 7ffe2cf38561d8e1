//! SQLite, as a library that is loaded: in a process that serves no other purpose.

mod chance;
mod connection;
mod functions;
mod heap;
mod image;
mod state;

use std::ffi::{CStr, c_void};
use std::io;
use std::path::Path;
use std::ptr;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

pub use connection::Connection;
pub use state::State;

use connection::Budget;
use functions::{Functions, code};
use image::Image;

/// An SQLite that has been loaded. It stays loaded as long as the process lives.
pub struct Engine {
    functions: Functions,
    image: Image,
}

impl Engine {
    /// Loads a library.
    #[expect(unsafe_code, reason = "code of a target is loaded: see the safety comments")]
    pub fn load(library: &Path) -> io::Result<Self> {
        let failed = |error: libloading::Error| io::Error::other(error.to_string());
        // SAFETY: whatever its constructors do, they do to this process, which serves no other
        // purpose.
        let library =
            unsafe { Library::open(Some(library), RTLD_NOW | RTLD_LOCAL) }.map_err(failed)?;
        // SAFETY: the types are those of sqlite3.h.
        let functions = unsafe { Functions::of(&library) }.map_err(failed)?;
        std::mem::forget(library);
        let image = Image::at(functions.open as *const c_void)
            .ok_or_else(|| io::Error::other("a library that cannot be found in memory"))?;
        Ok(Engine { functions, image })
    }

    /// Has it take its memory from a place of its own, so that [`State`]s can be kept. To be called
    /// once, before it is used.
    pub fn set_apart(&self) -> io::Result<()> {
        heap::take()?;
        match self.image.replace(&heap::FUNCTIONS)? {
            0 => Err(io::Error::other("a library that does not take its memory from `malloc`")),
            _ => Ok(()),
        }
    }

    /// The state that it is in.
    pub fn state(&self) -> io::Result<State> {
        State::of(&self.image)
    }

    /// Its minor version: 54 of 3.54.1.
    pub fn minor_version(&self) -> u16 {
        self.functions.minor_version()
    }

    /// Whether it was compiled with an option, such as `ENABLE_FTS5`.
    #[expect(unsafe_code, reason = "the interface of SQLite")]
    pub fn has_option(&self, name: &CStr) -> bool {
        // SAFETY: a name that ends with zero.
        unsafe { (self.functions.has_option)(name.as_ptr()) != 0 }
    }

    /// A new database in memory. What it does at random, such as to make up names, it does the same
    /// way each time.
    #[expect(unsafe_code, reason = "the interface of SQLite")]
    pub fn open(&self) -> io::Result<Connection<'_>> {
        let functions = &self.functions;
        let mut db = ptr::null_mut();
        // SAFETY: a name that ends with zero, and a place for the result.
        let code = unsafe { (functions.open)(c":memory:".as_ptr(), &raw mut db) };
        let connection = Connection { functions, db, budget: Box::new(Budget::default()) };
        chance::begin(functions);
        if code == code::OK { Ok(connection) } else { Err(io::Error::other(connection.message())) }
    }
}
