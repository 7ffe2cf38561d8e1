//! Mutants, as rows of a run file. The tables exist once pairs were run with mutants.
//!
//! ```text
//! mutant       id, operator, file, line,         the mutants of the build, and whether each is run;
//!              position, function, wanted        the position is the column
//! mutant_pair  relation, pair, unusable,         what became of those that a pair reached: for each
//!              plain_micros, mutant_micros,      verdict how many, and the gaps between their numbers
//!              verdicts, fingerprint             (LEB128 varints)
//! ```

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use metacov_core::Fingerprint;
use metacov_formats::{Error, Fault, Location};
use metacov_mutants::{Mutant, MutantVerdict, Operator};
use metacov_run::RunError;
use rusqlite::{Connection, OptionalExtension, params};

use crate::header::damaged;
use crate::lock::Lock;
use crate::recorder::{single_file, write_ahead};
use crate::schema;

pub(crate) const TABLES: [(&str, &str); 2] = [
    (
        "mutant",
        "CREATE TABLE mutant (id INTEGER PRIMARY KEY, operator TEXT NOT NULL, file TEXT NOT NULL, \
         line INTEGER NOT NULL, position INTEGER NOT NULL, function TEXT NOT NULL, \
         wanted INTEGER NOT NULL)",
    ),
    (
        "mutant_pair",
        "CREATE TABLE mutant_pair (relation TEXT NOT NULL, pair TEXT NOT NULL, unusable TEXT, \
         plain_micros INTEGER NOT NULL, mutant_micros INTEGER NOT NULL, verdicts BLOB NOT NULL, \
         fingerprint INTEGER NOT NULL, PRIMARY KEY (relation, pair)) WITHOUT ROWID",
    ),
];

/// What became of the mutants of a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredMutants {
    /// Why the pair was not run with mutants, if it was not.
    pub unusable: Option<String>,
    /// The mutants that it reached, by number.
    pub verdicts: Vec<(u32, MutantVerdict)>,
    /// The processor time of the pair without mutants, in microseconds.
    pub plain_micros: u64,
    /// The processor time of all processes with mutants, in microseconds.
    pub mutant_micros: u64,
}

/// The mutants of a run, and what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MutantRun {
    /// The mutants of the build, by number.
    pub mutants: Vec<Mutant>,
    /// Which of them are run.
    pub wanted: Vec<bool>,
    /// By relation and pair.
    pub pairs: BTreeMap<(String, String), StoredMutants>,
}

/// Adds mutants to a run file. Each pair is committed when it is complete.
pub struct MutantWriter {
    // Dropped before the lock.
    connection: Mutex<Connection>,
    name: String,
    _lock: Lock,
}

impl MutantWriter {
    /// Opens a run file. If pairs were run with mutants already, these must be the same.
    pub fn open(path: &Path, mutants: &[Mutant], wanted: &[bool]) -> Result<Self, RunError> {
        let name = path.display().to_string();
        let fault = |fault: Fault| RunError::Output(fault.of(&name));
        let lock = Lock::take(path).map_err(|error| fault(Fault::Io(error)))?;
        let Some(lock) = lock else {
            let what = "the file is being written by another process";
            return Err(fault(Fault::malformed(Location::Whole, what)));
        };
        let connection = schema::open_to_write(path).map_err(|error| fault(error.into()))?;
        schema::check(&connection).map_err(fault)?;
        write_ahead(&connection).map_err(|error| fault(error.into()))?;
        match read(&connection).map_err(fault)? {
            None => {
                let written = (|| {
                    connection.execute_batch("BEGIN IMMEDIATE")?;
                    create(&connection, mutants, wanted)?;
                    connection.execute_batch("COMMIT")
                })();
                written.map_err(|error| fault(error.into()))?;
            }
            Some(known) => {
                known
                    .check_same(mutants, wanted)
                    .map_err(|what| fault(Fault::malformed(Location::Whole, what)))?;
            }
        }
        Ok(MutantWriter { connection: Mutex::new(connection), name, _lock: lock })
    }

    /// Stores what became of the mutants of a pair.
    pub fn add(&self, relation: &str, pair: &str, stored: &StoredMutants) -> Result<(), RunError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let written = write_pair(&connection, relation, pair, stored);
        written.map_err(|error| RunError::Output(Fault::from(error).of(&self.name)))
    }
}

impl Drop for MutantWriter {
    fn drop(&mut self) {
        let connection = self.connection.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Everything is stored: if it fails, the log stays beside the file.
        drop(single_file(connection));
    }
}

impl MutantRun {
    /// Writes all of it to a file that has no mutants.
    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        create(connection, &self.mutants, &self.wanted)?;
        let mut pairs = self.pairs.iter();
        pairs.try_for_each(|((relation, pair), stored)| {
            write_pair(connection, relation, pair, stored)
        })
    }

    /// Says how mutants differ from those of another run, if they do.
    fn check_same(&self, mutants: &[Mutant], wanted: &[bool]) -> Result<(), String> {
        if self.mutants != mutants {
            return Err(
                "its pairs were run with the mutants of another build: remove what is stored with \
                        metacov mutants --again"
                    .to_owned(),
            );
        }
        if self.wanted != wanted {
            let count = |wanted: &[bool]| wanted.iter().filter(|wanted| **wanted).count();
            return Err(format!(
                "its pairs were run with another choice of mutants ({} and not {}): give the same options, or \
                 remove what is stored with metacov mutants --again",
                count(&self.wanted),
                count(wanted)
            ));
        }
        Ok(())
    }
}

/// Removes all mutants from a run file.
pub fn remove_mutants(path: &Path) -> Result<(), Error> {
    let name = path.display().to_string();
    let remove = || -> Result<(), Fault> {
        let connection = schema::open_to_write(path)?;
        schema::check(&connection)?;
        for (table, _) in TABLES {
            connection.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
        }
        Ok(())
    };
    remove().map_err(|fault| fault.of(&name))
}

/// Unites the mutants of runs.
pub(crate) fn merge(
    connection: &Connection,
    runs: impl Iterator<Item = (String, MutantRun)>,
) -> Result<rusqlite::Result<()>, Error> {
    let mut united: Option<MutantRun> = None;
    for (name, run) in runs {
        match &mut united {
            None => united = Some(run),
            Some(united) => {
                united
                    .check_same(&run.mutants, &run.wanted)
                    .map_err(|what| Fault::malformed(Location::Whole, what).of(&name))?;
                for (pair, stored) in run.pairs {
                    match united.pairs.get(&pair) {
                        // The order of the runs does not matter.
                        Some(known) if *known <= stored => {}
                        _ => drop(united.pairs.insert(pair, stored)),
                    }
                }
            }
        }
    }
    Ok(united.map_or(Ok(()), |united| united.write(connection)))
}

fn create(connection: &Connection, mutants: &[Mutant], wanted: &[bool]) -> rusqlite::Result<()> {
    for (_, sql) in TABLES {
        connection.execute_batch(sql)?;
    }
    let mut insert =
        connection.prepare("INSERT INTO mutant VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    for (id, (mutant, wanted)) in (0_u32..).zip(mutants.iter().zip(wanted)) {
        let Mutant { file, line, column, operator, function } = mutant;
        insert.execute(params![id, operator.name(), &**file, line, column, &**function, wanted])?;
    }
    Ok(())
}

fn write_pair(
    connection: &Connection,
    relation: &str,
    pair: &str,
    stored: &StoredMutants,
) -> rusqlite::Result<()> {
    let StoredMutants { unusable, verdicts, plain_micros, mutant_micros } = stored;
    let blob = encode(verdicts);
    let fingerprint = fingerprint(relation, pair, unusable.as_deref(), &blob);
    let sql = "INSERT OR REPLACE INTO mutant_pair VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let (plain, mutant) = (plain_micros.cast_signed(), mutant_micros.cast_signed());
    let row = params![relation, pair, unusable, plain, mutant, blob, fingerprint];
    connection.prepare_cached(sql)?.execute(row).map(drop)
}

fn fingerprint(relation: &str, pair: &str, unusable: Option<&str>, blob: &[u8]) -> i64 {
    let mut fingerprint = Fingerprint::new();
    fingerprint.text(relation);
    fingerprint.text(pair);
    fingerprint.text(unusable.unwrap_or_default());
    fingerprint.bytes(blob);
    fingerprint.hash().cast_signed()
}

/// Reads all mutants; none if pairs were not run with mutants.
pub(crate) fn read(connection: &Connection) -> Result<Option<MutantRun>, Fault> {
    let sql = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    let mut run = MutantRun::default();
    for (name, expected) in TABLES {
        let found = connection.query_row(sql, [name], |row| row.get::<_, String>(0)).optional()?;
        match found {
            None if name == TABLES[0].0 => return Ok(None),
            Some(found) if found == expected => {}
            _ => return Err(damaged(&format!("table `{name}` is missing or different"))),
        }
    }
    let mut texts = BTreeMap::<String, std::sync::Arc<str>>::new();
    let mut shared = move |text: String| {
        std::sync::Arc::clone(texts.entry(text).or_insert_with_key(|text| text.as_str().into()))
    };
    let mut rows = connection.prepare(
        "SELECT operator, file, line, position, function, wanted FROM mutant ORDER BY id",
    )?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let operator: String = row.get(0)?;
        let operator = Operator::named(&operator);
        run.mutants.push(Mutant {
            file: shared(row.get(1)?),
            line: row.get(2)?,
            column: row.get(3)?,
            operator: operator.ok_or_else(|| damaged("a mutant has an unknown operator"))?,
            function: shared(row.get(4)?),
        });
        run.wanted.push(row.get(5)?);
    }
    let mut rows = connection.prepare(
        "SELECT relation, pair, unusable, plain_micros, mutant_micros, verdicts, fingerprint FROM mutant_pair",
    )?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let (relation, pair): (String, String) = (row.get(0)?, row.get(1)?);
        let (unusable, blob): (Option<String>, Vec<u8>) = (row.get(2)?, row.get(5)?);
        let wrong =
            || damaged(&format!("mutants of pair {relation}/{pair}: checksum does not match"));
        if fingerprint(&relation, &pair, unusable.as_deref(), &blob) != row.get::<_, i64>(6)? {
            return Err(wrong());
        }
        let verdicts = decode(&blob, run.mutants.len()).ok_or_else(wrong)?;
        let micros = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
        let (plain_micros, mutant_micros) = (micros(3)?, micros(4)?);
        let stored = StoredMutants { unusable, verdicts, plain_micros, mutant_micros };
        run.pairs.insert((relation, pair), stored);
    }
    Ok(Some(run))
}

fn encode(verdicts: &[(u32, MutantVerdict)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for wanted in MutantVerdict::ALL {
        let numbers = verdicts.iter().filter(|(_, verdict)| *verdict == wanted);
        put(&mut bytes, u32::try_from(numbers.clone().count()).unwrap_or(u32::MAX));
        let mut last = 0;
        for (number, _) in numbers {
            put(&mut bytes, number - last);
            last = *number;
        }
    }
    bytes
}

fn decode(mut bytes: &[u8], mutants: usize) -> Option<Vec<(u32, MutantVerdict)>> {
    let mut verdicts = Vec::new();
    for verdict in MutantVerdict::ALL {
        let mut number = 0_u32;
        for _ in 0..take(&mut bytes)? {
            number = number.checked_add(take(&mut bytes)?)?;
            if number as usize >= mutants {
                return None;
            }
            verdicts.push((number, verdict));
        }
    }
    verdicts.sort_unstable();
    bytes.is_empty().then_some(verdicts)
}

fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

fn take(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for shift in (0..35).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(first & 0x7f).checked_shl(shift)?;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_survive_encode_and_decode() {
        use MutantVerdict as V;
        let verdicts =
            vec![(0, V::Killed), (1, V::Survived), (200, V::Survived), (70_000, V::Crash)];
        let bytes = encode(&verdicts);
        assert_eq!(decode(&bytes, 70_001), Some(verdicts));
        assert_eq!(decode(&bytes, 70_000), None, "no such mutant");
        for end in 0..bytes.len() {
            assert_eq!(decode(&bytes[..end], 70_001), None, "cut at {end}");
        }
        assert_eq!(decode(&[&bytes[..], &[0]].concat(), 70_001), None);
    }
}
