//! A connection to a database, and what its statements return.

use std::ffi::{CStr, CString, c_char};
use std::io;
use std::ptr;

use metacov_core::{Outcome, Value};

use super::functions::{Functions, Handle, RawResult};

/// Rows beyond this number are not fetched: the statement fails instead.
const ROWS_MAX: u64 = 100_000;

/// What the messages of errors begin with. The position is the error code, from 1 on.
const ERRORS: &[&str] = &[
    "Parser",
    "Binder",
    "Catalog",
    "Conversion",
    "Out of Range",
    "Constraint",
    "Invalid Input",
    "Not implemented",
    "Out of Memory",
    "INTERNAL",
    "FATAL",
    "TransactionContext",
    "Invalid type",
    "Mismatch Type",
    "Dependency",
];

/// The code of any other error.
const OTHER: i32 = 99;

/// Says whether DuckDB has found a defect of itself: a check inside it has failed, or the database
/// is no longer valid. No statement may cause that.
pub(super) fn defect(outcome: &Outcome) -> Option<&str> {
    let Outcome::Error { message, .. } = outcome else { return None };
    let is_defect = ["INTERNAL", "FATAL"].iter().any(|start| message.starts_with(start));
    is_defect.then_some(message)
}

/// A connection to a database in memory. It is never closed: the process ends instead.
pub(super) struct Connection {
    functions: &'static Functions,
    handle: Handle,
}

impl Connection {
    /// Opens an empty database.
    #[expect(unsafe_code, reason = "the interface of DuckDB")]
    pub(super) fn open(functions: &'static Functions) -> io::Result<Self> {
        let database = functions.open();
        let mut handle = ptr::null_mut();
        // SAFETY: the database is open, and the result has a place.
        let code = if database.is_null() {
            1
        } else {
            unsafe { (functions.connect)(database, &raw mut handle) }
        };
        if code != 0 || handle.is_null() {
            return Err(io::Error::other("DuckDB does not open a database"));
        }
        Ok(Connection { functions, handle })
    }

    /// Runs a statement and appends its rows.
    #[expect(unsafe_code, reason = "the interface of DuckDB")]
    pub(super) fn run(&mut self, sql: &str, rows: &mut Vec<Vec<Value>>) -> Result<(), Outcome> {
        let text = CString::new(sql).map_err(|_| error("a statement with a zero in it"))?;
        let mut raw: RawResult = RawResult::default();
        // SAFETY: the connection is open, the text is terminated by zero, and the result has room
        // for any version.
        let code = unsafe { (self.functions.query)(self.handle, text.as_ptr(), &raw mut raw) };
        let mut result = QueryResult { functions: self.functions, raw: Box::new(raw) };
        if code != 0 {
            return Err(error(&result.error()));
        }
        result.fetch(rows)
    }
}

fn error(message: &str) -> Outcome {
    let place = ERRORS.iter().position(|start| message.starts_with(start));
    let code = place.and_then(|place| i32::try_from(place + 1).ok()).unwrap_or(OTHER);
    Outcome::Error { code, message: message.to_owned() }
}

/// The result of a statement.
struct QueryResult {
    functions: &'static Functions,
    raw: Box<RawResult>,
}

/// How the values of a column are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Boolean,
    Integer,
    Real,
    /// A text that may be a number beyond 64 bits.
    BigInteger,
    Text,
    Unreadable,
}

/// `duckdb_type`, by number.
fn reading(kind: i32) -> Reading {
    match kind {
        1 => Reading::Boolean,
        2..=8 => Reading::Integer,
        9 | 16 => Reading::BigInteger,
        10 | 11 => Reading::Real,
        // TIMESTAMP, DATE, TIME, INTERVAL, VARCHAR, BLOB, DECIMAL
        12..=15 | 17..=19 => Reading::Text,
        _ => Reading::Unreadable,
    }
}

/// The numbers of types before 0.2.
fn old_reading(kind: i32) -> Reading {
    match kind {
        1 => Reading::Boolean,
        2..=5 => Reading::Integer,
        6 | 7 => Reading::Real,
        8..=11 => Reading::Text,
        _ => Reading::Unreadable,
    }
}

/// `duckdb_column`, before there were functions to read it.
#[repr(C)]
struct OldColumn {
    data: *const u8,
    nulls: *const bool,
    kind: i32,
    name: *const c_char,
}

impl QueryResult {
    #[expect(unsafe_code, reason = "the interface of DuckDB")]
    fn error(&mut self) -> String {
        // SAFETY: the result is filled. The text is terminated by zero or null.
        unsafe {
            let message = match &self.functions.accessors {
                Some(accessors) => (accessors.error)(&raw mut *self.raw),
                None => self.raw[3] as *const c_char,
            };
            if message.is_null() {
                return "an error without a message".to_owned();
            }
            CStr::from_ptr(message).to_string_lossy().into_owned()
        }
    }

    #[expect(unsafe_code, reason = "the interface of DuckDB")]
    fn fetch(&mut self, rows: &mut Vec<Vec<Value>>) -> Result<(), Outcome> {
        let raw = &raw mut *self.raw;
        // SAFETY: the result is filled.
        let (columns, count) = match &self.functions.accessors {
            Some(accessors) => unsafe {
                ((accessors.column_count)(raw), (accessors.row_count)(raw))
            },
            None => (self.raw[0] as u64, self.raw[1] as u64),
        };
        if count.saturating_add(rows.len() as u64) > ROWS_MAX {
            return Err(error(&format!("more than {ROWS_MAX} rows")));
        }
        let kinds: Vec<Reading> = (0..columns).map(|column| self.reading(column)).collect();
        if count > 0 && kinds.contains(&Reading::Unreadable) {
            return Err(error("a column of a type that is not read: cast it to VARCHAR"));
        }
        for row in 0..count {
            let values = (0..columns).zip(&kinds);
            rows.push(values.map(|(column, kind)| self.value(*kind, column, row)).collect());
        }
        Ok(())
    }

    #[expect(unsafe_code, reason = "the interface of DuckDB")]
    fn reading(&mut self, column: u64) -> Reading {
        match &self.functions.accessors {
            // SAFETY: the result has this column.
            Some(accessors) => {
                reading(unsafe { (accessors.column_type)(&raw mut *self.raw, column) })
            }
            None => old_reading(self.old_column(column).kind),
        }
    }

    /// A column of a version without accessors.
    #[expect(unsafe_code, reason = "the interface of DuckDB")]
    #[expect(clippy::cast_possible_truncation, reason = "the number of a column")]
    fn old_column(&self, column: u64) -> &OldColumn {
        // SAFETY: the third field has an array of as many columns as the first one says.
        unsafe { &*(self.raw[2] as *const OldColumn).add(column as usize) }
    }

    #[expect(unsafe_code, reason = "the interface of DuckDB")]
    #[expect(clippy::cast_possible_truncation, reason = "the number of a row")]
    fn value(&mut self, reading: Reading, column: u64, row: u64) -> Value {
        let (functions, raw) = (self.functions, &raw mut *self.raw);
        // SAFETY: the result has this column and this row.
        let is_null = unsafe {
            match &functions.accessors {
                Some(accessors) => (accessors.is_null)(raw, column, row),
                None => *self.old_column(column).nulls.add(row as usize),
            }
        };
        if is_null {
            return Value::Null;
        }
        // SAFETY: as above.
        unsafe {
            match reading {
                Reading::Boolean => {
                    Value::Integer(i64::from((functions.value_boolean)(raw, column, row)))
                }
                Reading::Integer => Value::Integer((functions.value_int64)(raw, column, row)),
                Reading::Real => real((functions.value_double)(raw, column, row)),
                Reading::BigInteger => big_integer(self.text(column, row)),
                Reading::Text | Reading::Unreadable => Value::Text(self.text(column, row)),
            }
        }
    }

    /// A value as text.
    #[expect(unsafe_code, reason = "the interface of DuckDB")]
    fn text(&mut self, column: u64, row: u64) -> Vec<u8> {
        // SAFETY: the result has this column and this row. The text is ours, and terminated by zero
        // unless it is null.
        unsafe {
            let text = (self.functions.value_varchar)(&raw mut *self.raw, column, row);
            if text.is_null() {
                return Vec::new();
            }
            let bytes = CStr::from_ptr(text).to_bytes().to_vec();
            match &self.functions.accessors {
                Some(accessors) => (accessors.free)(text.cast()),
                None => libc::free(text.cast()),
            }
            bytes
        }
    }
}

/// All values that are not numbers are one value, as DuckDB compares them.
fn real(value: f64) -> Value {
    Value::Real(if value.is_nan() { f64::NAN } else { value })
}

fn big_integer(text: Vec<u8>) -> Value {
    let number = str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
    number.map_or(Value::Text(text), Value::Integer)
}

impl Drop for QueryResult {
    #[expect(unsafe_code, reason = "the interface of DuckDB")]
    fn drop(&mut self) {
        // SAFETY: the result is filled and not used after this.
        unsafe { (self.functions.destroy_result)(&raw mut *self.raw) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_code_of_their_kind() {
        let code = |message: &str| match error(message) {
            Outcome::Error { code, .. } => code,
            Outcome::Rows(_) => 0,
        };
        assert_eq!(code("Binder Error: no such column"), 2);
        assert_eq!(code("Binder: no such column"), 2);
        assert_eq!(code("anything else"), OTHER);
        assert!(defect(&error("INTERNAL Error: index out of range")).is_some());
        assert!(defect(&error("Binder Error: INTERNAL")).is_none());
    }

    #[test]
    fn integers_beyond_64_bits_are_texts() {
        assert_eq!(big_integer(b"-7".to_vec()), Value::Integer(-7));
        let large = b"170141183460469231731687303715884105727".to_vec();
        assert_eq!(big_integer(large.clone()), Value::Text(large));
    }
}
