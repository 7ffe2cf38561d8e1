//! A hash of what a whole run says, but for its pairs, which have their own.

use metacov_core::{Fingerprint, SiteTable};
use metacov_formats::Fault;
use rusqlite::Connection;

use crate::Header;
use crate::header::{damaged, get, set};
use crate::sites;

const KEY: &str = "seal";

/// Seals a run that has come to an end.
pub(crate) fn write(
    connection: &Connection,
    header: &Header,
    table: &SiteTable,
) -> rusqlite::Result<()> {
    set(connection, "build", &table.build_id().to_string())?;
    set(connection, KEY, &of(connection, header, table)?)
}

/// Opens a run again: it is not sealed until its next end.
pub(crate) fn break_open(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM meta WHERE key IN ('build', ?1)", [KEY]).map(drop)
}

/// Refuses a run that is not as it was when it was sealed. One that was cut has no seal.
pub(crate) fn check(
    connection: &Connection,
    header: &Header,
    table: &SiteTable,
) -> Result<(), Fault> {
    match get(connection, KEY)? {
        Some(seal) if seal != of(connection, header, table)? => {
            Err(damaged("checksum does not match"))
        }
        _ => Ok(()),
    }
}

/// How many pairs there are, by the rows themselves and not by an index, which may differ in a file
/// that is damaged.
pub(crate) fn count_pairs(connection: &Connection) -> rusqlite::Result<u64> {
    let count = "SELECT count(*) FROM pair NOT INDEXED";
    connection.query_row(count, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
}

fn of(connection: &Connection, header: &Header, table: &SiteTable) -> rusqlite::Result<String> {
    let mut fingerprint = Fingerprint::new();
    fingerprint.bytes(&count_pairs(connection)?.to_le_bytes());
    fingerprint.text(&get(connection, "build")?.unwrap_or_default());
    header.fingerprint(&mut fingerprint);
    sites::fingerprint(table, &mut fingerprint);
    Ok(format!("{:016x}", fingerprint.hash()))
}
