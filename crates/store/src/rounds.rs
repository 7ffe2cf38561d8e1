//! The rounds of campaigns, as rows.

use metacov_core::Fingerprint;
use metacov_formats::Fault;
use rusqlite::{Connection, Row, params};

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
    read_each(connection)?.into_iter().map(|(_, _, round)| round).collect()
}

/// A trial, a number, and the round, if it is as it was written.
type Numbered = (String, u64, Result<StoredRound, Fault>);

/// The same, each for itself.
pub(crate) fn read_each(connection: &Connection) -> Result<Vec<Numbered>, Fault> {
    let mut rows = connection.prepare(
        "SELECT trial, number, summary, findings, lesson, fingerprint FROM round
         ORDER BY trial, number",
    )?;
    let rows = rows.query_map([], |row| {
        let (trial, number) = (row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned());
        Ok((trial, number, round(row)))
    })?;
    let checked = |(trial, number, read): (String, u64, rusqlite::Result<(StoredRound, i64)>)| {
        let round = read.map_err(Fault::from).and_then(|(round, fingerprint)| {
            if round.fingerprint() == fingerprint {
                return Ok(round);
            }
            Err(damaged(&format!("checksum of round {number} does not match")))
        });
        (trial, number, round)
    };
    Ok(rows.map(|row| row.map(checked)).collect::<Result<_, _>>()?)
}

fn round(row: &Row<'_>) -> rusqlite::Result<(StoredRound, i64)> {
    let number = row.get::<_, i64>(1)?.cast_unsigned();
    let (trial, summary, findings, lesson) = (row.get(0)?, row.get(2)?, row.get(3)?, row.get(4)?);
    Ok((StoredRound { trial, number, summary, findings, lesson }, row.get(5)?))
}
