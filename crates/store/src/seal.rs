//! The seal: a hash of everything in a run file except its pairs, which have separate ones.

use metacov_core::{Fingerprint, SiteTable};
use metacov_formats::Fault;
use rusqlite::Connection;

use crate::Header;
use crate::header::{damaged, get, set};
use crate::{sites, sources};

const KEY: &str = "seal";

/// Seals a run that has ended.
pub(crate) fn write(
    connection: &Connection,
    header: &Header,
    table: &SiteTable,
) -> rusqlite::Result<()> {
    set(connection, "build", &table.build_id().to_string())?;
    set(connection, KEY, &of(connection, header, table)?)
}

/// Removes the seal when a run is resumed, until it ends again.
pub(crate) fn break_open(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM meta WHERE key IN ('build', ?1)", [KEY]).map(drop)
}

/// Refuses a run that was changed after it was sealed. An interrupted run has no seal.
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

/// Whether a run was sealed.
pub(crate) fn is_sealed(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(get(connection, KEY)?.is_some())
}

/// Whether a run was sealed with these sites, whatever else it says.
pub(crate) fn is_of_build(connection: &Connection, table: &SiteTable) -> rusqlite::Result<bool> {
    Ok(get(connection, "build")? == Some(table.build_id().to_string()))
}

/// Counts pairs by the rows themselves and not by an index, which may differ in a damaged file.
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
    sources::fingerprint(connection, &mut fingerprint)?;
    Ok(format!("{:016x}", fingerprint.hash()))
}
