//! Opens a database that may come from anywhere.

use std::io::Read;
use std::path::Path;

use rusqlite::{Connection, MAIN_DB, OpenFlags, OptionalExtension};

use crate::{CoverageFile, Fault, Location};

/// The size limit of a compressed database, which is held in memory.
const MEMORY_BYTES_MAX: u64 = 256 << 20;

/// The tables and columns that are read.
const SCHEMA: [(&str, &[&str]); 6] = [
    ("coverage_schema", &["version"]),
    ("meta", &["key", "value"]),
    ("file", &["id", "path"]),
    ("context", &["id", "context"]),
    ("line_bits", &["file_id", "context_id", "numbits"]),
    ("arc", &["file_id", "context_id", "fromno", "tono"]),
];

/// Opens a database of schema 7, and returns its size.
pub(super) fn open(input: &mut CoverageFile) -> Result<(Connection, u64), Fault> {
    let (connection, size) = match input.plain_path() {
        Some(path) => open_file(path)?,
        None => open_in_memory(input)?,
    };
    check_schema(&connection)?;
    Ok((connection, size))
}

/// Opens a file without locking or changing it, and without looking for others beside it.
fn open_file(path: &Path) -> Result<(Connection, u64), Fault> {
    let size = std::fs::metadata(path)?.len();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok((Connection::open_with_flags(uri(path), flags)?, size))
}

fn open_in_memory(input: &mut CoverageFile) -> Result<(Connection, u64), Fault> {
    let mut bytes = Vec::new();
    input.take(MEMORY_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    let size = bytes.len() as u64;
    if size > MEMORY_BYTES_MAX {
        let what = format!("over {MEMORY_BYTES_MAX} bytes (decompress it into a file)");
        return Err(Fault::malformed(Location::Whole, what));
    }
    let mut connection = Connection::open_in_memory()?;
    connection.deserialize_read_exact(MAIN_DB, &bytes[..], bytes.len(), true)?;
    Ok((connection, size))
}

/// Checks that all tables and columns exist and are plain ones: a view, a virtual table or a
/// computed column can keep SQLite busy forever.
fn check_schema(connection: &Connection) -> Result<(), Fault> {
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")?;
    let mut column_count = connection.prepare(
        "SELECT count(*) FROM sqlite_schema AS stored JOIN pragma_table_info(?1) AS info
         WHERE stored.type = 'table' AND stored.rootpage > 0
         AND stored.name = ?1 AND info.name = ?2",
    )?;
    for (table, columns) in SCHEMA {
        for column in columns {
            let count: u32 = column_count.query_row((table, column), |row| row.get(0))?;
            if count != 1 {
                let what = format!(
                    "an SQLite data base that is not coverage.py's: no column `{column}` in a \
                     table `{table}`"
                );
                return Err(Fault::malformed(Location::Whole, what));
            }
        }
        if table == "coverage_schema" {
            check_version(connection)?;
        }
    }
    Ok(())
}

fn check_version(connection: &Connection) -> Result<(), Fault> {
    let query = "SELECT version FROM coverage_schema";
    let found = connection.query_row(query, [], |row| row.get(0)).optional()?;
    match found {
        Some(7) => Ok(()),
        found => {
            let found = found.map_or("(none)".to_owned(), |version: i64| version.to_string());
            Err(Fault::Version { format: "coverage.py data schema", found, known: "7" })
        }
    }
}

/// The path as SQLite's URI, where any byte may be written as `%XX`.
fn uri(path: &Path) -> String {
    use std::fmt::Write;
    let path = path.as_os_str().as_encoded_bytes();
    // The host between the second and the third slash is empty.
    let mut uri = if path.starts_with(b"/") { "file://".to_owned() } else { "file:".to_owned() };
    for byte in path {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                uri.push(char::from(*byte));
            }
            _ => {
                // Writing to a string does not fail.
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri.push_str("?immutable=1");
    uri
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        let what = match error {
            // Only the message: the text of the query does not help the user.
            rusqlite::Error::SqlInputError { msg, .. } => msg,
            error => error.to_string(),
        };
        Fault::malformed(Location::Whole, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_a_valid_uri() {
        assert_eq!(
            uri(Path::new("/tmp/a b/100%?#.coverage")),
            "file:///tmp/a%20b/100%25%3F%23.coverage?immutable=1"
        );
        assert_eq!(uri(Path::new("runs/.coverage")), "file:runs/.coverage?immutable=1");
    }
}
