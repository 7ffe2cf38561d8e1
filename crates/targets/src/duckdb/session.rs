//! A session of DuckDB: one database in memory, on one thread.

use std::ffi::c_void;
use std::io::{self, Write as _};
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};
use metacov_core::{Facts, Input, Outcome, Value};
use metacov_exec::{LibraryMemory, Mark, MemoryMarks, OpenOptions, Session};
use metacov_methods::sql::duckdb::{RESETS, is_setting};

use super::connection::{Connection, defect};
use super::functions::Functions;
use super::permission::refusal;
use super::wheel;

/// The code of a statement that is not run.
const REFUSED: i32 = 98;

pub(super) struct DuckdbSession {
    /// It stays loaded as long as the process lives.
    functions: &'static Functions,
    version: String,
    /// A database that was not used yet. A worker opens the session once and forks for each state,
    /// and opening takes as long as ten statements.
    unused: Option<Connection>,
    database: Option<Connection>,
    /// The states of a library with counters.
    marks: Option<MemoryMarks>,
}

impl DuckdbSession {
    #[expect(unsafe_code, reason = "code of a target is loaded")]
    pub(super) fn open(library: &Path, options: &OpenOptions<'_>) -> io::Result<Self> {
        // Lazily, because the library of a release refers to functions of Python.
        // SAFETY: this process has no other purpose, and the types are those of `duckdb.h`.
        let functions = unsafe {
            let library =
                Library::open(Some(library), RTLD_LAZY | RTLD_LOCAL).map_err(io::Error::other)?;
            let functions = Functions::of(&library).map_err(io::Error::other)?;
            std::mem::forget(library);
            functions
        };
        let functions: &'static Functions = Box::leak(Box::new(functions));
        let mut marks = None;
        if options.is_measured {
            let memory = LibraryMemory::at(functions.query as *const c_void)?;
            memory.isolate()?;
            marks = Some(MemoryMarks::new(memory));
        }
        // Another database: the one of the first state is not changed by the query.
        let version = version(&mut Connection::open(functions)?);
        if let Some(expected) = wheel::version_of(library)
            && !is_version(&version, expected)
        {
            let file = library.display();
            let what = format!("{file}: DuckDB {version}, not {expected} (remove the folder)");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let unused = Some(Connection::open(functions)?);
        Ok(DuckdbSession { functions, version, unused, database: None, marks })
    }
}

/// Versions before 0.2 do not say which they are.
const OLD: &str = "0.1";

/// Whether a library that reports a version may be this one.
fn is_version(reported: &str, expected: &str) -> bool {
    reported == expected || reported == OLD && expected.starts_with("0.1.")
}

/// The version, such as 2.0.0; 0.1 if it is too old to say.
fn version(connection: &mut Connection) -> String {
    let mut rows = Vec::new();
    let asked = connection.run("SELECT library_version FROM pragma_version()", &mut rows);
    match (asked, rows.first().map(Vec::as_slice)) {
        (Ok(()), Some([Value::Text(version)])) => {
            String::from_utf8_lossy(version).trim_start_matches('v').to_owned()
        }
        _ => OLD.to_owned(),
    }
}

/// Ends this process if DuckDB has found a defect of itself, so that the defect is a finding like any
/// other crash, and no later statement runs on an invalid database.
fn end_on_defect(outcome: &Outcome) {
    if let Some(message) = defect(outcome) {
        // If standard error is closed, there is nowhere to report that.
        let _ = writeln!(io::stderr(), "{message}");
        std::process::abort();
    }
}

impl Session for DuckdbSession {
    fn facts(&self) -> Facts {
        Facts::from([("version".to_owned(), self.version.clone())])
    }

    fn begin(&mut self) -> io::Result<()> {
        let database = match self.unused.take() {
            Some(unused) => unused,
            None => Connection::open(self.functions)?,
        };
        self.database = Some(database);
        Ok(())
    }

    fn run(&mut self, input: &Input) -> io::Result<Outcome> {
        let Some(database) = &mut self.database else {
            return Err(io::Error::other("no database is open"));
        };
        let mut rows = Vec::new();
        let mut outcome = Ok(());
        for statement in &input.statements {
            outcome = match refusal(statement) {
                Some(message) => Err(Outcome::Error { code: REFUSED, message }),
                None => database.run(statement, &mut rows),
            };
            if let Err(error) = &outcome {
                end_on_defect(error);
                break;
            }
        }
        // A setting applies to one input only.
        if input.statements.iter().any(|statement| is_setting(statement)) {
            for reset in RESETS {
                // Versions without the setting do not know how to reset it.
                let _ = database.run(reset, &mut Vec::new());
            }
        }
        Ok(outcome.err().unwrap_or(Outcome::Rows(rows)))
    }

    /// Inputs only read. What they change is inside the library: which code runs for the first time.
    /// Without coverage that does not matter, and there is nothing to restore.
    fn keep(&mut self, mark: Mark) -> io::Result<()> {
        self.marks.as_mut().map_or(Ok(()), |marks| marks.keep(mark))
    }

    fn restore(&mut self, mark: Mark) -> io::Result<()> {
        if let Some(marks) = &mut self.marks {
            marks.restore(mark);
        }
        Ok(())
    }
}
