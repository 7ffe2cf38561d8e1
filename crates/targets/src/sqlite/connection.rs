//! An open database, and the statements that run on it.

use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr;

use metacov_core::{Outcome, Value};

use super::functions::{Db, Functions, Stmt, code};

/// How many virtual-machine instructions SQLite executes between two checks of the budget.
const OPERATIONS_PER_LOOK: c_int = 100;

/// Rows beyond this number are not fetched: the statement fails instead.
const ROWS_MAX: usize = 100_000;

/// How much a statement may do, in instructions of SQLite's virtual machine: the same on every
/// machine.
#[derive(Default)]
pub(super) struct Budget {
    left: i64,
}

/// An open database.
pub(super) struct Connection<'e> {
    pub(super) functions: &'e Functions,
    pub(super) db: Db,
    pub(super) budget: Box<Budget>,
}

impl Connection<'_> {
    /// Runs statements one after the other, each with a limit on its instructions. Returns the rows
    /// of all of them, or the first error.
    pub(super) fn run<'s>(
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

    /// Disables optimisations: one bit each, as for `sqlite3_test_control`.
    #[expect(unsafe_code, reason = "the interface of SQLite")]
    pub(super) fn disable_optimizations(&mut self, mask: u32) {
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
        // SAFETY: the handle is open, the text is terminated by zero and outlives the statement,
        // and the budget outlives the connection.
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
        // SAFETY: the statement was prepared above and is not used after this. It may be null.
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
        // SAFETY: the statement is at a row that has this column. As SQLite requires, the bytes are
        // requested before their number, and copied before the next call.
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
    pub(super) fn message(&self) -> String {
        // SAFETY: a text owned by SQLite and terminated by zero, copied before the next call.
        unsafe { CStr::from_ptr((self.functions.error_message)(self.db)) }
            .to_string_lossy()
            .into_owned()
    }
}

/// SQLite calls this regularly. Returns whether to interrupt the statement.
#[expect(unsafe_code, reason = "the interface of SQLite")]
unsafe extern "C" fn spend(budget: *mut c_void) -> c_int {
    // SAFETY: this is the budget of the connection whose statement runs, and nothing else accesses
    // it meanwhile.
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
