//! The rounds of campaigns, as rows.

use metacov_core::Fingerprint;
use metacov_formats::Fault;
use rusqlite::{Connection, params};

use crate::header::damaged;

/// A stored round of a campaign.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredRound {
    /// The tag of its campaign.
    pub trial: String,
    /// Its number, from zero.
    pub number: u64,
    /// Its counts, as JSON.
    pub summary: String,
    /// Its findings, as JSON.
    pub findings: String,
    /// What it has added to what the campaign knows, encoded by the campaign.
    pub lesson: Vec<u8>,
}

impl StoredRound {
    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let StoredRound { trial, number, summary, findings, lesson } = self;
        let sql = "INSERT OR IGNORE INTO round VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let row =
            params![trial, number.cast_signed(), summary, findings, lesson, self.fingerprint()];
        connection.prepare_cached(sql)?.execute(row).map(drop)
    }

    fn fingerprint(&self) -> i64 {
        let mut fingerprint = Fingerprint::new();
        fingerprint.text(&self.trial);
        fingerprint.bytes(&self.number.to_le_bytes());
        fingerprint.text(&self.summary);
        fingerprint.text(&self.findings);
        fingerprint.bytes(&self.lesson);
        fingerprint.hash().cast_signed()
    }
}

/// All rounds, by trial and number.
pub(crate) fn read(connection: &Connection) -> Result<Vec<StoredRound>, Fault> {
    let mut rows = connection.prepare(
        "SELECT trial, number, summary, findings, lesson, fingerprint FROM round
         ORDER BY trial, number",
    )?;
    let rows = rows.query_map([], |row| {
        let number = row.get::<_, i64>(1)?.cast_unsigned();
        let (trial, summary, findings, lesson) =
            (row.get(0)?, row.get(2)?, row.get(3)?, row.get(4)?);
        Ok((StoredRound { trial, number, summary, findings, lesson }, row.get::<_, i64>(5)?))
    })?;
    rows.map(|row| {
        let (round, fingerprint) = row?;
        if round.fingerprint() != fingerprint {
            return Err(damaged(&format!("checksum of round {} does not match", round.number)));
        }
        Ok(round)
    })
    .collect()
}
