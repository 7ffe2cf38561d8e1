//! The text of source files as it was when they were measured, once for each content.
//!
//! Source files change after a run. What was measured is shown in the text that it was measured in, not in
//! what happens to be on the disk.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use metacov_core::{BuildMismatch, Fingerprint};
use metacov_formats::{Error, Fault};
use rusqlite::{Connection, OptionalExtension, params};

use crate::header::damaged;
use crate::schema;

/// Files beyond this size are generated: of them, only the hash is kept.
const TEXT_BYTES_MAX: u64 = 4 << 20;

/// Files beyond this size are not read at all.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Source text compresses well at every level, and results wait for it.
const COMPRESSION: i32 = 3;

/// The texts of the source files of a run.
pub struct SourceTexts {
    /// The run file as the user named it.
    name: String,
    /// By path: the row of its text.
    files: BTreeMap<String, i64>,
    connection: Connection,
}

/// A source file as it was when it was measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceText {
    /// Of its bytes.
    pub hash: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// Its bytes, unless there are more than 4 MiB.
    pub text: Option<Vec<u8>>,
}

impl SourceText {
    /// Whether these are its bytes.
    pub fn is(&self, bytes: &[u8]) -> bool {
        bytes.len() as u64 == self.bytes && hash(bytes) == self.hash
    }

    /// The file at a path, which comes from a report; none if it is no regular file, cannot be read or is huge.
    fn read(path: &Path) -> Option<Self> {
        let is_readable = std::fs::metadata(path)
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= FILE_BYTES_MAX);
        let bytes = is_readable.then(|| std::fs::read(path).ok()).flatten()?;
        let (hash, length) = (hash(&bytes), bytes.len() as u64);
        let text = (length <= TEXT_BYTES_MAX).then_some(bytes);
        Some(SourceText { hash, bytes: length, text })
    }
}

impl SourceTexts {
    /// Those of a run file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let open = || {
            let connection = schema::open_to_read(path)?;
            let files = files(&connection)?;
            Ok((connection, files))
        };
        let (connection, files) = open().map_err(|fault: Fault| fault.of(&name))?;
        Ok(SourceTexts { name, files, connection })
    }

    /// The paths of all files whose text is known, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The text of the file that the run knows by this path.
    pub fn get(&self, path: &str) -> Result<Option<SourceText>, Error> {
        let Some(id) = self.files.get(path) else { return Ok(None) };
        let text = read(&self.connection, *id, path).map_err(|fault| fault.of(&self.name))?;
        Ok(Some(text))
    }
}

/// By path: the rows of the texts.
pub(crate) fn files(connection: &Connection) -> Result<BTreeMap<String, i64>, Fault> {
    if !schema::is_current(connection)? {
        return Ok(BTreeMap::new());
    }
    let sql = "SELECT path, source FROM file_source JOIN file ON file.id = file";
    let mut rows = connection.prepare(sql)?;
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The text in a row, which is that of the file at `path`.
pub(crate) fn read(connection: &Connection, id: i64, path: &str) -> Result<SourceText, Fault> {
    let sql = "SELECT hash, bytes, content FROM source WHERE id = ?1";
    let row = connection.prepare_cached(sql)?.query_row([id], |row| {
        let number = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
        Ok((number(0)?, number(1)?, row.get::<_, Vec<u8>>(2)?))
    });
    let (hash, bytes, content) =
        row.optional()?.ok_or_else(|| damaged(&format!("the source of {path} is missing")))?;
    let text = if is_kept(bytes) { Some(decompressed(&content, bytes)) } else { None };
    let source = SourceText { hash, bytes, text };
    match &source.text {
        Some(text) if !source.is(text) => {
            Err(damaged(&format!("checksum of the source of {path} does not match")))
        }
        _ => Ok(source),
    }
}

/// Stores the texts of these files, by id, as far as they are not there and can be read below `root`.
pub(crate) fn write_new(
    connection: &Connection,
    files: impl IntoIterator<Item = i64>,
    root: &Path,
) -> rusqlite::Result<()> {
    let mut path = connection.prepare_cached(
        "SELECT path FROM file WHERE id = ?1 AND id NOT IN (SELECT file FROM file_source)",
    )?;
    for file in files {
        let path: Option<String> = path.query_row([file], |row| row.get(0)).optional()?;
        if let Some(source) = path.and_then(|path| SourceText::read(&root.join(path))) {
            write(connection, file, &source)?;
        }
    }
    Ok(())
}

/// Stores the text of a file.
pub(crate) fn write(
    connection: &Connection,
    file: i64,
    source: &SourceText,
) -> rusqlite::Result<()> {
    let hash = source.hash.cast_signed();
    let sql = "SELECT count(*) FROM source WHERE hash = ?1";
    if connection.prepare_cached(sql)?.query_row([hash], |row| row.get::<_, u32>(0))? == 0 {
        let content = source.text.as_deref().map(compressed).unwrap_or_default();
        let sql = "INSERT INTO source (hash, bytes, content) VALUES (?1, ?2, ?3)";
        let row = params![hash, source.bytes.cast_signed(), content];
        connection.prepare_cached(sql)?.execute(row)?;
    }
    let sql = "INSERT INTO file_source SELECT ?1, id FROM source WHERE hash = ?2";
    connection.prepare_cached(sql)?.execute([file, hash]).map(drop)
}

/// Takes in which file has which text. The texts have their own hashes.
pub(crate) fn fingerprint(
    connection: &Connection,
    fingerprint: &mut Fingerprint,
) -> rusqlite::Result<()> {
    if !schema::is_current(connection)? {
        return Ok(());
    }
    let mut rows = connection.prepare(
        "SELECT file, hash, bytes FROM file_source JOIN source ON source.id = file_source.source
         ORDER BY file",
    )?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        for at in 0..3 {
            fingerprint.bytes(&row.get::<_, i64>(at)?.to_le_bytes());
        }
    }
    Ok(())
}

/// That a file has another text in another run.
pub(crate) fn changed(path: &str) -> BuildMismatch {
    BuildMismatch { place: format!("{path} (its source has changed)") }
}

fn is_kept(bytes: u64) -> bool {
    bytes <= TEXT_BYTES_MAX
}

fn hash(bytes: &[u8]) -> u64 {
    let mut fingerprint = Fingerprint::new();
    fingerprint.bytes(bytes);
    fingerprint.hash()
}

fn compressed(text: &[u8]) -> Vec<u8> {
    // Into memory: there is nothing that could fail.
    zstd::encode_all(text, COMPRESSION).unwrap_or_default()
}

/// The text of these many bytes; less or other bytes if the content is damaged.
fn decompressed(content: &[u8], bytes: u64) -> Vec<u8> {
    let mut text = Vec::new();
    if let Ok(decoder) = zstd::Decoder::new(content) {
        let _ = decoder.take(bytes).read_to_end(&mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        schema::create(&connection).unwrap();
        // So that rows can be removed that others refer to.
        connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        connection
            .execute_batch("INSERT INTO file VALUES (0, 'a.c'), (1, 'b.c'), (2, 'c.c')")
            .unwrap();
        connection
    }

    #[test]
    fn texts_come_back_and_the_same_text_is_stored_once() {
        let folder = tempfile::tempdir().unwrap();
        let connection = database();
        let text = "int x;\n".repeat(1000);
        for name in ["a.c", "c.c"] {
            std::fs::write(folder.path().join(name), &text).unwrap();
        }
        write_new(&connection, [0, 1, 2], folder.path()).unwrap();
        std::fs::write(folder.path().join("a.c"), "another").unwrap();
        write_new(&connection, [0, 1, 2], folder.path()).unwrap();
        let files = files(&connection).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["a.c", "c.c"], "b.c cannot be read");
        assert_eq!(files["a.c"], files["c.c"]);
        let source = read(&connection, files["a.c"], "a.c").unwrap();
        assert_eq!(source.text.as_deref(), Some(text.as_bytes()), "the first text stands");
        let stored: u32 = connection
            .query_row("SELECT length(content) FROM source", [], |row| row.get(0))
            .unwrap();
        assert!(stored < 100, "{stored}");
    }

    #[test]
    fn of_a_large_file_only_the_hash_is_kept_and_devices_are_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let connection = database();
        let text = vec![b'x'; 5 << 20];
        std::fs::write(folder.path().join("a.c"), &text).unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("b.c")).unwrap();
        write_new(&connection, [0, 1], folder.path()).unwrap();
        let files = files(&connection).unwrap();
        assert_eq!(files.len(), 1);
        let source = read(&connection, files["a.c"], "a.c").unwrap();
        assert_eq!((source.bytes, &source.text), (5 << 20, &None));
        assert!(source.is(&text) && !source.is(&text[1..]));
    }

    #[test]
    fn a_damaged_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let connection = database();
        std::fs::write(folder.path().join("a.c"), "int x;\n".repeat(1000)).unwrap();
        write_new(&connection, [0], folder.path()).unwrap();
        for sql in [
            "UPDATE source SET hash = 1",
            "UPDATE source SET content = x'00'",
            "UPDATE source SET content = x''",
            "DELETE FROM source",
        ] {
            connection.execute_batch(&format!("SAVEPOINT s; {sql}")).unwrap();
            let id = files(&connection).unwrap()["a.c"];
            let fault = read(&connection, id, "a.c").unwrap_err().to_string();
            assert!(fault.starts_with("damaged run file: "), "{sql}: {fault}");
            connection.execute_batch("ROLLBACK TO s; RELEASE s").unwrap();
        }
    }
}
