//! SQLite, as a library that is loaded: in a process that serves no other purpose.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::path::Path;
use std::ptr;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use metacov_core::{Outcome, Value};

/// How many operations of SQLite's machine lie between two looks at the budget.
const OPERATIONS_PER_LOOK: c_int = 100;

/// Rows beyond this number are not fetched: the statement fails instead.
const ROWS_MAX: usize = 100_000;

/// The codes of SQLite that are needed here.
mod code {
    use std::ffi::c_int;

    pub(super) const OK: c_int = 0;
    pub(super) const TOO_BIG: c_int = 18;
    pub(super) const ROW: c_int = 100;
    pub(super) const DONE: c_int = 101;
    pub(super) const OPTIMIZATIONS: c_int = 15;
    pub(super) const RANDOM_SEED: c_int = 28;
}

type Db = *mut c_void;
type Stmt = *mut c_void;

/// An SQLite that has been loaded. It stays loaded as long as the process lives.
pub struct Engine(Functions);

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
        Ok(Engine(functions))
    }

    /// Its version as a number: 3054001 is 3.54.1.
    #[expect(unsafe_code, reason = "the interface of SQLite")]
    pub fn version(&self) -> i32 {
        // SAFETY: it takes nothing and gives a number.
        unsafe { (self.0.version)() }
    }

    /// Whether it was compiled with an option, such as `ENABLE_FTS5`.
    #[expect(unsafe_code, reason = "the interface of SQLite")]
    pub fn has_option(&self, name: &CStr) -> bool {
        // SAFETY: a name that ends with zero.
        unsafe { (self.0.has_option)(name.as_ptr()) != 0 }
    }

    /// A new database in memory. What it does at random, such as to make up names, it does the same
    /// way each time.
    #[expect(unsafe_code, reason = "the interface of SQLite")]
    pub fn open(&self) -> io::Result<Connection<'_>> {
        let mut db = ptr::null_mut();
        // SAFETY: a name that ends with zero, and a place for the result.
        let code = unsafe { (self.0.open)(c":memory:".as_ptr(), &raw mut db) };
        let connection = Connection { functions: &self.0, db, budget: Box::new(Budget::default()) };
        // SAFETY: this operation takes a number and a database, which may be null. A version that
        // does not know it does nothing.
        unsafe { (self.0.test_control)(code::RANDOM_SEED, 1, ptr::null_mut::<c_void>()) };
        if code == code::OK { Ok(connection) } else { Err(io::Error::other(connection.message())) }
    }
}

/// How much a statement may do, in operations of SQLite's machine: the same on every machine.
#[derive(Default)]
struct Budget {
    left: i64,
}

/// A database that is open.
pub struct Connection<'e> {
    functions: &'e Functions,
    db: Db,
    budget: Box<Budget>,
}

impl Connection<'_> {
    /// Runs statements one after the other, with so many operations for each; the rows of all of
    /// them, or the first error.
    pub fn run<'s>(
        &mut self,
        statements: impl IntoIterator<Item = &'s str>,
        operations_max: u64,
    ) -> Outcome {
        let mut rows = Vec::new();
        for sql in statements {
            if let Err(error) = self.statement(sql, operations_max, &mut rows) {
                return error;
            }
        }
        Outcome::Rows(rows)
    }

    /// Switches optimisations off: a bit each, as `sqlite3_test_control` has them.
    #[expect(unsafe_code, reason = "the interface of SQLite")]
    pub fn disable_optimizations(&mut self, mask: u32) {
        // SAFETY: this operation takes a database and a number.
        unsafe { (self.functions.test_control)(code::OPTIMIZATIONS, self.db, mask) };
    }

    #[expect(unsafe_code, reason = "the interface of SQLite")]
    fn statement(
        &mut self,
        sql: &str,
        operations_max: u64,
        rows: &mut Vec<Vec<Value>>,
    ) -> Result<(), Outcome> {
        let Ok(text) = CString::new(sql) else {
            let message = "a statement with a zero in it".to_owned();
            return Err(Outcome::Error { code: 1, message });
        };
        self.budget.left = i64::try_from(operations_max).unwrap_or(i64::MAX);
        let budget: *mut Budget = &raw mut *self.budget;
        let mut stmt = ptr::null_mut();
        // SAFETY: the handle is open, the text ends with zero and outlives the statement, and the
        // budget outlives the connection.
        let code = unsafe {
            let per_look = OPERATIONS_PER_LOOK;
            (self.functions.progress_handler)(self.db, per_look, Some(spend), budget.cast());
            let (text, rest) = (text.as_ptr(), ptr::null_mut());
            (self.functions.prepare)(self.db, text, -1, &raw mut stmt, rest)
        };
        if code != code::OK {
            return Err(self.error());
        }
        let fetched = self.fetch(stmt, rows);
        // SAFETY: the statement was prepared above, and nobody uses it any more. It may be null.
        unsafe { (self.functions.finalize)(stmt) };
        fetched
    }

    #[expect(unsafe_code, reason = "the interface of SQLite")]
    fn fetch(&self, stmt: Stmt, rows: &mut Vec<Vec<Value>>) -> Result<(), Outcome> {
        if stmt.is_null() {
            return Ok(());
        }
        loop {
            // SAFETY: the statement is prepared and not finalized.
            match unsafe { (self.functions.step)(stmt) } {
                code::ROW if rows.len() == ROWS_MAX => {
                    let message = format!("more than {ROWS_MAX} rows");
                    return Err(Outcome::Error { code: code::TOO_BIG, message });
                }
                code::ROW => {
                    // SAFETY: as above.
                    let columns = unsafe { (self.functions.column_count)(stmt) };
                    rows.push((0..columns).map(|column| self.value(stmt, column)).collect());
                }
                code::DONE => return Ok(()),
                _ => return Err(self.error()),
            }
        }
    }

    #[expect(unsafe_code, reason = "the interface of SQLite")]
    fn value(&self, stmt: Stmt, column: c_int) -> Value {
        let functions = self.functions;
        // SAFETY: the statement stands on a row that has this column. Bytes are asked for before
        // their number, as SQLite wants it, and copied before anything else is asked for.
        unsafe {
            let bytes = |start: *const u8| {
                let length = usize::try_from((functions.column_bytes)(stmt, column)).unwrap_or(0);
                if start.is_null() {
                    Vec::new()
                } else {
                    std::slice::from_raw_parts(start, length).to_vec()
                }
            };
            match (functions.column_type)(stmt, column) {
                1 => Value::Integer((functions.column_int64)(stmt, column)),
                2 => Value::Real((functions.column_double)(stmt, column)),
                3 => Value::Text(bytes((functions.column_text)(stmt, column))),
                4 => Value::Blob(bytes((functions.column_blob)(stmt, column))),
                _ => Value::Null,
            }
        }
    }

    #[expect(unsafe_code, reason = "the interface of SQLite")]
    fn error(&self) -> Outcome {
        // SAFETY: the handle is open.
        let code = unsafe { (self.functions.error_code)(self.db) };
        Outcome::Error { code, message: self.message() }
    }

    #[expect(unsafe_code, reason = "the interface of SQLite")]
    fn message(&self) -> String {
        // SAFETY: a text of SQLite's own that ends with zero, copied at once.
        unsafe { CStr::from_ptr((self.functions.error_message)(self.db)) }
            .to_string_lossy()
            .into_owned()
    }
}

/// Called by SQLite now and then; whether the statement should end.
#[expect(unsafe_code, reason = "the interface of SQLite")]
unsafe extern "C" fn spend(budget: *mut c_void) -> c_int {
    // SAFETY: it is the budget of the connection whose statement runs, and nobody else looks at it
    // meanwhile.
    let budget = unsafe { &mut *budget.cast::<Budget>() };
    budget.left -= i64::from(OPERATIONS_PER_LOOK);
    c_int::from(budget.left < 0)
}

impl Drop for Connection<'_> {
    #[expect(unsafe_code, reason = "the interface of SQLite")]
    fn drop(&mut self) {
        // SAFETY: the handle is open, or null, and all its statements are finalized.
        unsafe { (self.functions.close)(self.db) };
    }
}

/// The functions of SQLite that are called.
struct Functions {
    open: unsafe extern "C" fn(*const c_char, *mut Db) -> c_int,
    close: unsafe extern "C" fn(Db) -> c_int,
    prepare: unsafe extern "C" fn(Db, *const c_char, c_int, *mut Stmt, *mut *const c_char) -> c_int,
    step: unsafe extern "C" fn(Stmt) -> c_int,
    finalize: unsafe extern "C" fn(Stmt) -> c_int,
    column_count: unsafe extern "C" fn(Stmt) -> c_int,
    column_type: unsafe extern "C" fn(Stmt, c_int) -> c_int,
    column_int64: unsafe extern "C" fn(Stmt, c_int) -> i64,
    column_double: unsafe extern "C" fn(Stmt, c_int) -> f64,
    column_text: unsafe extern "C" fn(Stmt, c_int) -> *const u8,
    column_blob: unsafe extern "C" fn(Stmt, c_int) -> *const u8,
    column_bytes: unsafe extern "C" fn(Stmt, c_int) -> c_int,
    error_message: unsafe extern "C" fn(Db) -> *const c_char,
    error_code: unsafe extern "C" fn(Db) -> c_int,
    progress_handler: unsafe extern "C" fn(
        Db,
        c_int,
        Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
        *mut c_void,
    ),
    test_control: unsafe extern "C" fn(c_int, ...) -> c_int,
    version: unsafe extern "C" fn() -> c_int,
    has_option: unsafe extern "C" fn(*const c_char) -> c_int,
}

impl Functions {
    #[expect(unsafe_code, reason = "symbols of a library have the types that we give them")]
    unsafe fn of(library: &Library) -> Result<Self, libloading::Error> {
        macro_rules! find {
            // SAFETY: left to the caller.
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
            version: find!(b"sqlite3_libversion_number\0"),
            has_option: find!(b"sqlite3_compileoption_used\0"),
        })
    }
}
