//! The tables of a run file.

use std::path::Path;
use std::time::Duration;

use metacov_formats::{Fault, Location};
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// `MCov`, in the header of the file: distinguishes run files from other databases.
const APPLICATION_ID: i32 = 0x4d43_6f76;

/// The version of the tables below. It grows when readers have to change.
const VERSION: i32 = 6;

/// The previous version: marks of sites have no translation unit, and [`ADDED_COLUMNS`] and
/// [`ADDED_TABLES`] are missing.
const VERSION_BEFORE: i32 = 5;

/// Columns that version 5 lacks: the table, and the text of the column as `ALTER TABLE` inserts it
/// in front of constraints.
const ADDED_COLUMNS: [(&str, &str); 2] = [("pair", "judge TEXT"), ("input", "hash INTEGER")];

/// Tables that version 5 lacks.
const ADDED_TABLES: [&str; 3] = ["output", "source", "file_source"];

/// How long to wait for another process to finish a transaction.
const PATIENCE: Duration = Duration::from_secs(60);

const TABLES: [(&str, &str); 15] = [
    (
        "meta",
        "CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID",
    ),
    (
        "setting",
        "CREATE TABLE setting (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID",
    ),
    ("file", "CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT NOT NULL)"),
    ("symbol", "CREATE TABLE symbol (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"),
    (
        "site",
        "CREATE TABLE site (id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES file, \
         line INTEGER NOT NULL, criterion TEXT NOT NULL, kind TEXT, \
         symbol INTEGER REFERENCES symbol, n1 INTEGER, n2 INTEGER, n3 INTEGER, n4 INTEGER, \
         instance INTEGER REFERENCES symbol, shown INTEGER REFERENCES symbol, last_line INTEGER, \
         excluded INTEGER NOT NULL, mark_kind INTEGER, mark INTEGER)",
    ),
    ("relation", "CREATE TABLE relation (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)"),
    (
        "pair",
        "CREATE TABLE pair (id INTEGER PRIMARY KEY, place INTEGER NOT NULL UNIQUE, \
         relation INTEGER NOT NULL REFERENCES relation, name TEXT NOT NULL, \
         sides INTEGER NOT NULL, verdict TEXT NOT NULL, failed_side INTEGER, exit_code INTEGER, \
         signal INTEGER, last_words TEXT, violation TEXT, setup INTEGER REFERENCES setup, \
         microseconds INTEGER NOT NULL, differing INTEGER, \
         fingerprint INTEGER NOT NULL, judge TEXT, UNIQUE (relation, name))",
    ),
    (
        "setup",
        "CREATE TABLE setup (id INTEGER PRIMARY KEY, content NOT NULL, \
         fingerprint INTEGER NOT NULL UNIQUE)",
    ),
    (
        "input",
        "CREATE TABLE input (pair INTEGER NOT NULL REFERENCES pair, side INTEGER NOT NULL, \
         number INTEGER NOT NULL, name TEXT NOT NULL, content NOT NULL, bytes INTEGER NOT NULL, \
         hash INTEGER, PRIMARY KEY (pair, side, number)) WITHOUT ROWID",
    ),
    (
        "output",
        "CREATE TABLE output (pair INTEGER NOT NULL REFERENCES pair, side INTEGER NOT NULL, \
         exit TEXT NOT NULL, content NOT NULL, bytes INTEGER NOT NULL, \
         PRIMARY KEY (pair, side)) WITHOUT ROWID",
    ),
    (
        "source",
        "CREATE TABLE source (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL UNIQUE, \
         bytes INTEGER NOT NULL, content BLOB NOT NULL)",
    ),
    (
        "file_source",
        "CREATE TABLE file_source (file INTEGER PRIMARY KEY REFERENCES file, \
         source INTEGER NOT NULL REFERENCES source)",
    ),
    (
        "side",
        "CREATE TABLE side (pair INTEGER NOT NULL REFERENCES pair, side INTEGER NOT NULL, \
         told INTEGER NOT NULL, naming INTEGER NOT NULL, executed BLOB NOT NULL, known BLOB, \
         flaky BLOB, PRIMARY KEY (pair, side)) WITHOUT ROWID",
    ),
    (
        "round",
        "CREATE TABLE round (trial TEXT NOT NULL, number INTEGER NOT NULL, summary TEXT NOT NULL, \
         findings TEXT NOT NULL, lesson BLOB NOT NULL, fingerprint INTEGER NOT NULL, \
         PRIMARY KEY (trial, number)) WITHOUT ROWID",
    ),
    (
        "base",
        "CREATE TABLE base (executed BLOB NOT NULL, known BLOB NOT NULL, fingerprint INTEGER NOT NULL)",
    ),
];

/// Opens an existing file for writing.
pub(crate) fn open_to_write(path: &Path) -> rusqlite::Result<Connection> {
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// Opens a file for reading, in one transaction, so that it shows one state even if it is being
/// written.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection, Fault> {
    if path == Path::new("-") {
        let what = "a run file is a database, which cannot be read from standard input: give the name of a file";
        return Err(Fault::malformed(Location::Whole, what));
    }
    // SQLite only says that it cannot. The file is not opened for this: closing it would drop the
    // locks of other connections of this process.
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(Fault::malformed(
            Location::Whole,
            "expected a run file, found a folder (for a study: metacov study report)",
        ));
    }
    if metadata.len() == 0 {
        return Err(Fault::malformed(
            Location::Whole,
            "the file is empty: no run was started in it",
        ));
    }
    let mut connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let first_read = version(&connection).map_err(|error| error.sqlite_error_code());
    if first_read == Err(Some(ErrorCode::ReadOnly)) {
        // Its writer was killed in the middle of a transaction, which only a writer can undo.
        version(&open_to_write(path)?)?;
        connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    }
    check(&connection)?;
    connection.execute_batch("BEGIN")?;
    Ok(connection)
}

/// Prepares a file, which may not exist, for being replaced: removes the log beside it, which
/// SQLite would take for that of the new file.
pub(crate) fn settle(path: &Path) -> rusqlite::Result<()> {
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0) {
        let connection = open_to_write(path)?;
        connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
        return connection.close().map_err(|(_, error)| error);
    }
    for ending in ["-wal", "-shm", "-journal"] {
        let mut log = path.as_os_str().to_owned();
        log.push(ending);
        // Usually there is none.
        let _ = std::fs::remove_file(log);
    }
    Ok(())
}

fn open(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    // SQLite interprets names like `file:x` and `:memory:` specially.
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")?;
    Ok(connection)
}

/// Whether the file is empty: it is new, or the process that created it was interrupted.
pub(crate) fn is_blank(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

/// Sets the version: from here on the file may contain what this version writes.
pub(crate) fn set_version(connection: &Connection) -> rusqlite::Result<()> {
    if version(connection)? == VERSION_BEFORE {
        for (table, column) in ADDED_COLUMNS {
            connection.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN {column}"))?;
        }
        let is_added = |(name, _): &&(&str, &str)| ADDED_TABLES.contains(name);
        for (_, sql) in TABLES.iter().filter(is_added) {
            connection.execute_batch(sql)?;
        }
    }
    connection.pragma_update(None, "user_version", VERSION)
}

/// Creates all tables, within a transaction.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    set_version(connection)?;
    TABLES.iter().try_for_each(|(_, sql)| connection.execute_batch(sql))
}

/// Checks that the file is a run file of this version, with exactly the tables above and nothing
/// that could make SQLite do more than read and write rows.
pub(crate) fn check(connection: &Connection) -> Result<(), Fault> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    if pragma("application_id").map_err(not_ours)? != APPLICATION_ID {
        let what = "not a run file of metacov: another SQLite database";
        return Err(Fault::malformed(Location::Whole, what));
    }
    let version = version(connection)?;
    match version {
        VERSION | VERSION_BEFORE => {}
        found => {
            let found = found.to_string();
            return Err(Fault::Version { format: "run file", found, known: "5 and 6" });
        }
    }
    let mut count = connection.prepare(
        "SELECT count(*) FROM sqlite_schema
         WHERE type = 'table' AND rootpage > 0 AND name = ?1 AND sql = ?2",
    )?;
    for (name, sql) in TABLES {
        let Some(sql) = table_of_version(version, name, sql) else { continue };
        if count.query_row((name, sql), |row| row.get::<_, u32>(0))? != 1 {
            let what = format!("damaged run file: table `{name}` is missing or different");
            return Err(Fault::malformed(Location::Whole, what));
        }
    }
    let triggers = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'";
    if connection.query_row(triggers, [], |row| row.get::<_, u32>(0))? != 0 {
        return Err(Fault::malformed(Location::Whole, "damaged run file: it has triggers"));
    }
    Ok(())
}

fn version(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// The text that creates a table in a file of this version, if it has the table.
fn table_of_version(version: i32, name: &str, sql: &str) -> Option<String> {
    if version == VERSION {
        return Some(sql.to_owned());
    }
    let columns = ADDED_COLUMNS.iter().filter(|(table, _)| *table == name);
    let sql =
        columns.fold(sql.to_owned(), |sql, (_, column)| sql.replace(&format!(", {column}"), ""));
    (!ADDED_TABLES.contains(&name)).then_some(sql)
}

/// Whether the file has what version 5 lacks: judges of pairs, hashes of inputs, outputs, sources.
pub(crate) fn is_current(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(version(connection)? != VERSION_BEFORE)
}

/// The fault of a file that may not be a database at all.
pub(crate) fn not_ours(error: rusqlite::Error) -> Fault {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => {
            Fault::malformed(Location::Whole, "not a run file of metacov")
        }
        _ => error.into(),
    }
}
