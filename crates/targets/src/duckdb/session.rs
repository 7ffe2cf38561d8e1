//! A session of DuckDB: one database in memory, on one thread.

use std::io;
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};
use metacov_core::{Facts, Input, Outcome, Value};
use metacov_exec::{Mark, OpenOptions, Session};
use metacov_methods::sql::duckdb::{RESETS, is_setting};

use super::connection::Connection;
use super::functions::Functions;
use super::permission::refusal;

/// The code of a statement that is not run.
const REFUSED: i32 = 98;

pub(super) struct DuckdbSession {
    /// It stays loaded as long as the process lives.
    functions: &'static Functions,
    /// A database that was not used yet. A worker opens the session once and forks for each state,
    /// and opening takes as long as ten statements.
    unused: Option<Connection>,
    database: Option<Connection>,
    version: String,
}

impl DuckdbSession {
    #[expect(unsafe_code, reason = "code of a target is loaded")]
    pub(super) fn open(library: &Path, options: &OpenOptions) -> io::Result<Self> {
        if options.is_measured {
            return Err(io::Error::other("coverage of DuckDB cannot be measured yet"));
        }
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
        let mut unused = Connection::open(functions)?;
        let version = version(&mut unused);
        Ok(DuckdbSession { functions, unused: Some(unused), database: None, version })
    }
}

/// The version, such as 2.0.0; 0.1 if it is too old to say.
fn version(connection: &mut Connection) -> String {
    let mut rows = Vec::new();
    let asked = connection.run("SELECT library_version FROM pragma_version()", &mut rows);
    match (asked, rows.first().map(Vec::as_slice)) {
        (Ok(()), Some([Value::Text(version)])) => {
            String::from_utf8_lossy(version).trim_start_matches('v').to_owned()
        }
        _ => "0.1".to_owned(),
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
            if outcome.is_err() {
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

    /// Without coverage, inputs only read, and leave nothing to restore.
    fn keep(&mut self, _mark: Mark) -> io::Result<()> {
        Ok(())
    }

    fn restore(&mut self, _mark: Mark) -> io::Result<()> {
        Ok(())
    }
}
