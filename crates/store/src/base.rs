//! The side that all covers of a run file are encoded against.

use metacov_core::{Cover, Fingerprint, Group, Reading, SiteTable};
use metacov_formats::Fault;
use rusqlite::{Connection, OptionalExtension};

use crate::header::damaged;
use metacov_core::codec;

/// The covers that others are encoded against.
#[derive(Clone)]
pub(crate) struct Base {
    pub(crate) executed: Cover,
    pub(crate) known: Cover,
}

impl Base {
    /// Empty covers.
    pub(crate) fn of(table: &SiteTable) -> Self {
        Base { executed: Cover::of(table), known: Cover::of(table) }
    }

    /// The covers of the first side of a group.
    pub(crate) fn first(group: &Group<Reading>) -> Self {
        let [first, ..] = group.sides() else { unreachable!("a group has two sides or more") };
        Base { executed: first.executed.clone(), known: first.known.clone() }
    }

    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let (executed, known) = (codec::encode(&self.executed), codec::encode(&self.known));
        let row = (&executed, &known, Base::fingerprint(&executed, &known));
        connection.execute("INSERT INTO base VALUES (?1, ?2, ?3)", row).map(drop)
    }

    pub(crate) fn read(connection: &Connection, table: &SiteTable) -> Result<Option<Self>, Fault> {
        let sql = "SELECT executed, known, fingerprint FROM base";
        let row: Option<(Vec<u8>, Vec<u8>, i64)> = connection
            .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let Some((executed, known, fingerprint)) = row else { return Ok(None) };
        if Base::fingerprint(&executed, &known) != fingerprint {
            return Err(damaged("checksum of the base does not match"));
        }
        let mut base = Base::of(table);
        codec::flip(&executed, table.len(), &mut base.executed)
            .and_then(|()| codec::flip(&known, table.len(), &mut base.known))
            .map_err(|what| damaged(&format!("base: {what}")))?;
        Ok(Some(base))
    }

    fn fingerprint(executed: &[u8], known: &[u8]) -> i64 {
        let mut fingerprint = Fingerprint::new();
        fingerprint.bytes(&(executed.len() as u64).to_le_bytes());
        fingerprint.bytes(executed);
        fingerprint.bytes(known);
        fingerprint.hash().cast_signed()
    }
}
