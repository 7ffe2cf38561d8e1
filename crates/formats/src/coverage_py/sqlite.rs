//! Reads coverage.py's data file: an SQLite database, schema 7.
//!
//! ```text
//! file(id, path)  context(id, context)  meta(key, value): has_arcs
//! line_bits(file_id, context_id, numbits): bit n % 8 of byte n / 8 stands for line n
//! arc(file_id, context_id, fromno, tono): if branches were measured, in place of line_bits
//! ```
//!
//! One file contains all pairs of a run, with a context for each side, and is opened for each side.
//! So a context is looked up by index, file by file, and never by a scan of all contexts.
//!
//! Lines and jumps are those that Python traces. A statement that spans several lines has several
//! of them, of which coverage.py's reports count the first. Finding that one takes the source, or a
//! report that lists all code (`--universe`); without one, lines stay as they are.
//!
//! The database may come from anywhere. It is opened so that SQLite writes nothing and runs no code
//! from it, and reading a damaged one, whose pages may form a cycle, stops once it has yielded more
//! than the file can contain.

use std::collections::BTreeSet;
use std::path::Path;

use metacov_core::{BranchKey, Criterion};
use rusqlite::{Connection, OptionalExtension};

use super::connection;
use crate::{CoverageFile, Fault, Location, Record, SiteRecorder};

/// The first bytes of a data file.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";

/// The first bytes before coverage.py 5.
pub(super) const OLD_MAGIC: &[u8] = b"!coverage.py: This is a private format";

/// Enough for a million lines in one source file.
const NUMBITS_BYTES_MAX: usize = 128 << 10;

/// More lines than any Python program has. A line takes one bit in the file and many bytes here.
const RECORDS_MAX: usize = 1 << 24;

pub(super) fn data(input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
    let mut data = DataFile::open(input)?;
    let context = recorder.context.map(|name| data.context_id(name)).transpose()?;
    let has_arcs = data.has_arcs()?;
    recorder.names_only_what_ran(Criterion::Line);
    if has_arcs {
        recorder.names_only_what_ran(Criterion::Branch);
    }
    let mut count = 0;
    for (file, path) in data.files()? {
        let ran = if has_arcs { data.arcs(file, context)? } else { data.lines(file, context)? };
        if ran.is_empty() {
            continue;
        }
        count += ran.len();
        if count > RECORDS_MAX {
            return Err(Fault::malformed(Location::Whole, format!("over {RECORDS_MAX} lines")));
        }
        for record in ran {
            recorder.add(record);
        }
        recorder.end_file(&path).map_err(|what| Fault::malformed(Location::Whole, what))?;
        recorder.flush(None)?;
    }
    Ok(())
}

/// Returns the contexts of a data file, in the order in which they were first used.
pub(crate) fn contexts(path: &Path) -> Result<Vec<String>, Fault> {
    let mut input = CoverageFile::open(path)?;
    if !input.head().starts_with(MAGIC) {
        return Err(Fault::malformed(Location::Whole, "not a coverage.py data file"));
    }
    let rows = DataFile::open(&mut input)?.rows("SELECT id, context FROM context ORDER BY id")?;
    Ok(rows.into_iter().map(|(_, context)| context).collect())
}

/// An open data file of schema 7.
struct DataFile {
    connection: Connection,
    /// How many more bytes it may yield.
    allowance: u64,
}

impl DataFile {
    fn open(input: &mut CoverageFile) -> Result<Self, Fault> {
        if input.head().starts_with(OLD_MAGIC) {
            let found = "4 or earlier, which is text,".to_owned();
            let known = "data files of coverage.py 5.0 and later";
            return Err(Fault::Version { format: "coverage.py", found, known });
        }
        let (connection, size) = connection::open(input)?;
        // Each value is stored once, at best as UTF-16, and a row also has a length.
        Ok(DataFile { connection, allowance: size.saturating_mul(2) })
    }

    fn has_arcs(&self) -> Result<bool, Fault> {
        let query = "SELECT value FROM meta WHERE key = 'has_arcs'";
        let value: Option<String> =
            self.connection.query_row(query, [], |row| row.get(0)).optional()?;
        Ok(value.is_some_and(|value| value == "1"))
    }

    fn context_id(&self, name: &str) -> Result<i64, Fault> {
        let query = "SELECT id FROM context WHERE context = ?1";
        let id = self.connection.query_row(query, [name], |row| row.get(0)).optional()?;
        id.ok_or_else(|| Fault::NoCode(format!(" for the context `{name}`")))
    }

    fn files(&mut self) -> Result<Vec<(i64, String)>, Fault> {
        self.rows("SELECT id, path FROM file ORDER BY id")
    }

    /// Rows of a number and a name.
    fn rows(&mut self, query: &str) -> Result<Vec<(i64, String)>, Fault> {
        let mut statement = self.connection.prepare(query)?;
        let mut rows = statement.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (id, name): (i64, String) = (row.get(0)?, row.get(1)?);
            spend(&mut self.allowance, name.len())?;
            found.push((id, name));
        }
        Ok(found)
    }

    /// The lines of a file that ran, in one context or in any.
    fn lines(&mut self, file: i64, context: Option<i64>) -> Result<Vec<Record>, Fault> {
        // `length` does not load the value, so a value that is too long is never loaded.
        let query = format!(
            "SELECT iif(length(numbits) <= {NUMBITS_BYTES_MAX}, numbits, NULL) FROM line_bits
             INDEXED BY sqlite_autoindex_line_bits_1 WHERE file_id = ?1 {}",
            of_context(context)
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query((file, context))?;
        let mut union: Vec<u8> = Vec::new();
        while let Some(row) = rows.next()? {
            let numbits = row.get_ref(0)?.as_blob_or_null().ok().flatten().ok_or_else(|| {
                let what = format!("invalid numbits, or over {NUMBITS_BYTES_MAX} bytes");
                Fault::malformed(Location::Whole, what)
            })?;
            spend(&mut self.allowance, numbits.len())?;
            if union.len() < numbits.len() {
                union.resize(numbits.len(), 0);
            }
            union.iter_mut().zip(numbits).for_each(|(all, byte)| *all |= byte);
        }
        let lines = (0u32..).zip(union).flat_map(|(at, byte)| {
            (0..8).filter(move |bit| byte & (1 << bit) != 0).map(move |bit| 8 * at + bit)
        });
        Ok(lines.filter(|line| *line > 0).map(|line| Record::line(line, true).traced()).collect())
    }

    /// The lines of a file that ran, in one context or in any, and the jumps between them.
    ///
    /// Most jumps are not branches: only a report that lists all code says which ones are.
    fn arcs(&mut self, file: i64, context: Option<i64>) -> Result<Vec<Record>, Fault> {
        let query = format!(
            "SELECT fromno, tono FROM arc INDEXED BY sqlite_autoindex_arc_1 WHERE file_id = ?1 {}",
            of_context(context)
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query((file, context))?;
        let mut arcs: BTreeSet<(i32, i32)> = BTreeSet::new();
        while let Some(row) = rows.next()? {
            spend(&mut self.allowance, 0)?;
            arcs.insert((row.get(0)?, row.get(1)?));
        }
        // A negative end is the entry to or the exit from the function that starts on that line.
        let line = |end: i32| u32::try_from(end).ok().filter(|line| *line > 0);
        let lines: BTreeSet<u32> =
            arcs.iter().flat_map(|(from, to)| [line(*from), line(*to)]).flatten().collect();
        let jumps = arcs.iter().filter_map(|(from, to)| {
            Some(Record::branch(line(*from)?, BranchKey::Jump(*to), true).traced())
        });
        Ok(lines.iter().map(|line| Record::line(*line, true).traced()).chain(jumps).collect())
    }
}

/// The condition that selects a context. Both conditions use the same two values.
fn of_context(context: Option<i64>) -> &'static str {
    if context.is_some() { "AND context_id = ?2" } else { "AND ?2 IS NULL" }
}

fn spend(allowance: &mut u64, bytes: usize) -> Result<(), Fault> {
    *allowance = allowance.checked_sub(1 + bytes as u64).ok_or_else(|| {
        Fault::malformed(Location::Whole, "damaged database: it yields more rows than it can hold")
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(name: &str) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/coverage_py").join(name)
    }

    #[test]
    fn contexts_are_listed_in_the_order_of_their_first_use() {
        let contexts = contexts(&fixture("7.17.2/contexts.coverage")).unwrap();
        assert_eq!(contexts.len(), 13);
        assert_eq!(contexts[..2], ["", "mr=swap|pair=1|side=a"]);
        assert_eq!(contexts[12], "mr=heavier|pair=3|side=b");
    }

    #[test]
    fn contexts_of_another_file_are_an_error() {
        let fault = contexts(&fixture("7.17.2/a.json")).unwrap_err();
        assert_eq!(fault.to_string(), "not a coverage.py data file");
    }
}
