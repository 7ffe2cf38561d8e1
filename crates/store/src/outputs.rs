//! The outputs of sides, as rows.

use metacov_core::{Exit, SideOutput};
use metacov_formats::Fault;
use rusqlite::{Connection, params};

use crate::header::damaged;
use crate::inputs::{cell, content};
use crate::sites::number;

/// Writes the outputs of a pair.
pub(crate) fn write(
    connection: &Connection,
    pair: i64,
    sides: &[SideOutput],
) -> rusqlite::Result<()> {
    let insert =
        "INSERT INTO output (pair, side, exit, content, bytes) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut insert = connection.prepare_cached(insert)?;
    for (side, output) in sides.iter().enumerate() {
        let bytes = output.bytes.cast_signed();
        let exits = exits(&output.exits);
        insert.execute(params![pair, number(side), exits, cell(&output.content), bytes])?;
    }
    Ok(())
}

/// The outputs of a pair, by side.
pub(crate) fn read(connection: &Connection, pair: i64) -> Result<Vec<SideOutput>, Fault> {
    let mut rows = connection.prepare_cached(
        "SELECT side, exit, content, bytes FROM output WHERE pair = ?1 ORDER BY side",
    )?;
    let rows = rows.query_map([pair], |row| {
        let (side, exit) = (row.get::<_, i64>(0)?, row.get::<_, String>(1)?);
        Ok((side, exit, content(row, 2)?, row.get::<_, i64>(3)?.cast_unsigned()))
    })?;
    let mut sides = Vec::new();
    for row in rows {
        let (side, exit, content, bytes) = row?;
        if side != number(sides.len()) {
            return Err(damaged("missing output"));
        }
        let exits = exit.split(' ').filter(|exit| !exit.is_empty()).map(read_exit);
        let exits = exits.collect::<Option<_>>().ok_or_else(|| damaged("unknown exit"))?;
        sides.push(SideOutput { exits, content, bytes });
    }
    Ok(sides)
}

/// How executions ended: exit codes, `signal-11` or `timeout`, with spaces between them.
pub(crate) fn exits(exits: &[Exit]) -> String {
    let text = |exit: &Exit| match exit {
        Exit::Success => "0".to_owned(),
        Exit::Failure(code) => code.to_string(),
        Exit::Signalled(signal) => format!("signal-{signal}"),
        Exit::Timeout => "timeout".to_owned(),
    };
    exits.iter().map(text).collect::<Vec<_>>().join(" ")
}

fn read_exit(text: &str) -> Option<Exit> {
    match (text, text.strip_prefix("signal-")) {
        ("0", _) => Some(Exit::Success),
        ("timeout", _) => Some(Exit::Timeout),
        (_, Some(signal)) => signal.parse().ok().map(Exit::Signalled),
        (code, None) => code.parse().ok().map(Exit::Failure),
    }
}
