//! A solver as a library, whose `main` function is called in a forked child.

use std::ffi::{CString, OsString, c_char, c_int};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

type Main = unsafe extern "C" fn(c_int, *mut *mut c_char) -> c_int;

pub(super) struct SolverLibrary {
    main: Main,
}

impl SolverLibrary {
    /// Loads a library, and finds its function of this name, which is called like `main`.
    #[expect(unsafe_code, reason = "code of a target is loaded")]
    pub(super) fn load(library: &Path, main: &str) -> io::Result<Self> {
        // SAFETY: this process has no other purpose, and the function has the type of `main`.
        unsafe {
            let library =
                Library::open(Some(library), RTLD_NOW | RTLD_LOCAL).map_err(io::Error::other)?;
            let main: Main = *library.get(main.as_bytes()).map_err(io::Error::other)?;
            std::mem::forget(library);
            Ok(SolverLibrary { main })
        }
    }

    /// Calls it, in a process that ends afterwards. The first argument is the name of the program.
    #[expect(unsafe_code, reason = "the interface of the solver")]
    pub(super) fn main(&self, arguments: &[OsString]) -> i32 {
        let words: Vec<CString> =
            arguments.iter().filter_map(|word| CString::new(word.as_bytes()).ok()).collect();
        let pointers = words.iter().map(|word| word.as_ptr().cast_mut());
        let mut pointers: Vec<*mut c_char> = pointers.chain([std::ptr::null_mut()]).collect();
        let count = c_int::try_from(words.len()).unwrap_or(c_int::MAX);
        // SAFETY: the arguments end with zero, the list with a null pointer, and both outlive the
        // call.
        unsafe { (self.main)(count, pointers.as_mut_ptr()) }
    }
}
