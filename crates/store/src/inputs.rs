//! The inputs of sides, as rows.

use std::collections::BTreeMap;

use metacov_core::{Setup, StoredInput};
use metacov_formats::Fault;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::header::damaged;
use crate::schema;
use crate::sites::number;

/// Writes the inputs of a pair.
pub(crate) fn write(
    connection: &Connection,
    pair: i64,
    sides: &[Vec<StoredInput>],
) -> rusqlite::Result<()> {
    let mut insert =
        connection.prepare_cached("INSERT INTO input VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    for (side, inputs) in sides.iter().enumerate() {
        for (at, input) in inputs.iter().enumerate() {
            let StoredInput { name, content, bytes, hash } = input;
            let (side, at, bytes) = (number(side), number(at), bytes.cast_signed());
            let hash = hash.map(u64::cast_signed);
            insert.execute(params![pair, side, at, name, cell(content), bytes, hash])?;
        }
    }
    Ok(())
}

/// The inputs of a pair, by side.
pub(crate) fn read(connection: &Connection, pair: i64) -> Result<Vec<Vec<StoredInput>>, Fault> {
    let hash = if schema::is_current(connection)? { "hash" } else { "NULL" };
    let mut rows = connection.prepare_cached(&format!(
        "SELECT side, number, name, content, bytes, {hash} FROM input WHERE pair = ?1
         ORDER BY side, number",
    ))?;
    let rows = rows.query_map([pair], |row| {
        let bytes = row.get::<_, i64>(4)?.cast_unsigned();
        let hash = row.get::<_, Option<i64>>(5)?.map(i64::cast_unsigned);
        let input = StoredInput { name: row.get(2)?, content: content(row, 3)?, bytes, hash };
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, input))
    })?;
    let mut sides: Vec<Vec<StoredInput>> = Vec::new();
    for row in rows {
        let (side, at, input) = row?;
        if side == number(sides.len()) {
            sides.push(Vec::new());
        }
        match sides.last_mut() {
            Some(last) if at == number(last.len()) => last.push(input),
            _ => return Err(damaged("missing input")),
        }
    }
    Ok(sides)
}

/// By the place of each group in the plan: what identifies its inputs, in the order of sides; nothing for a group with an
/// input that has no hash.
pub(crate) fn identities(connection: &Connection) -> Result<BTreeMap<u64, Vec<u64>>, Fault> {
    if !schema::is_current(connection)? {
        return Ok(BTreeMap::new());
    }
    let mut rows = connection.prepare(
        "SELECT place, input.name, hash FROM input JOIN pair ON pair.id = pair
         ORDER BY place, side, number",
    )?;
    let rows = rows.query_map([], |row| {
        let place = row.get::<_, i64>(0)?.cast_unsigned();
        let hash = row.get::<_, Option<i64>>(2)?.map(i64::cast_unsigned);
        let input = StoredInput { name: row.get(1)?, content: Vec::new(), bytes: 0, hash };
        Ok((place, input.identity()))
    })?;
    let mut identities: BTreeMap<u64, Option<Vec<u64>>> = BTreeMap::new();
    for row in rows {
        let (place, identity) = row?;
        let of_pair = identities.entry(place).or_insert_with(|| Some(Vec::new()));
        match (&mut *of_pair, identity) {
            (Some(known), Some(identity)) => known.push(identity),
            _ => *of_pair = None,
        }
    }
    Ok(identities.into_iter().filter_map(|(place, known)| Some((place, known?))).collect())
}

/// Writes a setup, unless it is stored already.
pub(crate) fn write_setup(connection: &Connection, setup: &Setup) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO setup (content, fingerprint) VALUES (?1, ?2)";
    let mut insert = connection.prepare_cached(sql)?;
    insert.execute(params![cell(setup.content()), setup.hash().cast_signed()]).map(drop)
}

/// The setup with this hash.
pub(crate) fn read_setup(connection: &Connection, hash: u64) -> Result<Setup, Fault> {
    let mut row = connection.prepare_cached("SELECT content FROM setup WHERE fingerprint = ?1")?;
    let setup = row.query_row([hash.cast_signed()], |row| content(row, 0)).optional()?;
    let setup = setup.map(Setup::new).filter(|setup| setup.hash() == hash);
    setup.ok_or_else(|| damaged("checksum of a setup does not match"))
}

/// The hashes of all setups, in order.
pub(crate) fn setups(connection: &Connection) -> rusqlite::Result<Vec<u64>> {
    let mut rows = connection.prepare("SELECT fingerprint FROM setup NOT INDEXED")?;
    let rows = rows.query_map([], |row| row.get::<_, i64>(0).map(i64::cast_unsigned))?;
    let mut hashes = rows.collect::<rusqlite::Result<Vec<u64>>>()?;
    hashes.sort_unstable();
    Ok(hashes)
}

/// Bytes in a readable form: as TEXT if they are valid text.
pub(crate) fn cell(bytes: &[u8]) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => ValueRef::Text(text.as_bytes()),
        _ => ValueRef::Blob(bytes),
    })
}

pub(crate) fn content(row: &Row<'_>, at: usize) -> rusqlite::Result<Vec<u8>> {
    match row.get_ref(at)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(bytes.to_vec()),
        other => {
            let kind = other.data_type();
            Err(rusqlite::Error::InvalidColumnType(at, "content".to_owned(), kind))
        }
    }
}
