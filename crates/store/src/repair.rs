//! Saves what can be saved of a damaged run file.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use metacov_formats::{Fault, Location};
use metacov_run::RunError;
use rusqlite::ErrorCode;

use crate::check::Findings;
use crate::replace_file::Replacement;
use crate::sites::{StoredSites, number};
use crate::{Header, inputs, schema, seal, sources};

/// What was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// How many pairs.
    pub pairs: u64,
    /// How many rounds of campaigns.
    pub rounds: u64,
    /// What was wrong, and is not in the new file.
    pub lost: Vec<String>,
}

/// Writes all that is intact in a run file to a new one. If something is lost, the new run is not
/// complete, and can be resumed like one that was interrupted.
pub fn repair_run(path: &Path, output: &Path) -> Result<Repaired, RunError> {
    let unwritten = |error| RunError::Output(Fault::Io(error).of(output.display().to_string()));
    if output.exists() {
        let what = "the file exists: choose another name";
        return Err(unwritten(io::Error::new(io::ErrorKind::AlreadyExists, what)));
    }
    let fault = |fault: Fault| fault.of(path.display().to_string());
    let connection = schema::open_to_read(path).map_err(fault)?;
    let mut found = Findings::of(&connection);
    let file = Replacement::of(output).map_err(unwritten)?;
    let repaired = fill(&mut found, file.path()).map_err(|halt| match halt {
        StopReason::Read(halted) => fault(halted).into(),
        StopReason::Write(error) => unwritten(io::Error::other(error.to_string())),
    })?;
    file.commit().map_err(unwritten)?;
    Ok(repaired)
}

enum StopReason {
    Read(Fault),
    Write(rusqlite::Error),
}

impl From<rusqlite::Error> for StopReason {
    fn from(error: rusqlite::Error) -> Self {
        StopReason::Write(error)
    }
}

fn fill(found: &mut Findings<'_>, path: &Path) -> Result<Repaired, StopReason> {
    let (Some(header), Some((table, _))) = (found.header.clone(), found.sites.take()) else {
        let what = found.problems.join("; ");
        let what = format!("nothing can be saved without the settings and the sites: {what}");
        return Err(StopReason::Read(Fault::malformed(Location::Whole, what)));
    };
    let connection = schema::open_to_write(path)?;
    connection.query_row("PRAGMA journal_mode = OFF", [], |_| Ok(()))?;
    connection.execute_batch("PRAGMA synchronous = OFF; BEGIN EXCLUSIVE")?;
    schema::create(&connection)?;
    if let Some(news) = StoredSites::default().news(&table) {
        news.write(&connection)?;
    }
    let files: BTreeMap<&str, i64> =
        table.paths().enumerate().map(|(id, path)| (path, number(id))).collect();
    found.sources(|path, source| match files.get(path) {
        Some(file) => sources::write(&connection, *file, source),
        None => Ok(()),
    })?;
    found.sites = Some((table, StoredSites::default()));
    if let Some(base) = &found.base {
        base.write(&connection)?;
    }
    for setup in found.setups() {
        inputs::write_setup(&connection, &setup)?;
    }
    let pairs = found.pairs(|row| match row.write(&connection) {
        Ok(()) => Ok(true),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            Ok(false)
        }
        Err(error) => Err(error),
    })?;
    let rounds = found.rounds();
    for round in &rounds {
        round.write(&connection)?;
    }
    if let Some(mutants) = found.mutants() {
        mutants.write(&connection)?;
    }
    let complete = header.complete && found.problems.is_empty();
    let header = Header { complete, ..header };
    header.write(&connection)?;
    if let Some((table, _)) = &found.sites {
        seal::write(&connection, &header, table)?;
    }
    connection.execute_batch("COMMIT")?;
    connection.close().map_err(|(_, error)| error)?;
    let lost = std::mem::take(&mut found.problems);
    Ok(Repaired { pairs, rounds: rounds.len() as u64, lost })
}
