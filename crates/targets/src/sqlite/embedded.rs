//! The SQLite that is included in the binary, as a library with counters.

use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use super::build::{HEADER, LIBRARIES, NOTES, SOURCE};
use crate::cache;

/// The version of SQLite.
pub const VERSION: &str = env!("METACOV_SQLITE_VERSION");

/// The folder that it was compiled in, as its notes name it. It need not exist.
pub(super) const FOLDER: &str = env!("METACOV_SQLITE_FOLDER");

/// A C program that runs the statements of a file as workers do, to compare them with one process
/// for each input.
pub const STATEMENTS: &str = include_str!("statements.c");

/// Its notes, compressed.
const PACKED_NOTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/sqlite3.gcno.zst"));

/// The included files, compressed.
const FILES: [(&str, &[u8]); 5] = [
    (LIBRARIES.library, include_bytes!(concat!(env!("OUT_DIR"), "/libsqlite3.so.zst"))),
    (LIBRARIES.plain_library, include_bytes!(concat!(env!("OUT_DIR"), "/libsqlite3-plain.so.zst"))),
    (NOTES, PACKED_NOTES),
    (SOURCE, include_bytes!(concat!(env!("OUT_DIR"), "/sqlite3.c.zst"))),
    (HEADER, include_bytes!(concat!(env!("OUT_DIR"), "/sqlite3.h.zst"))),
];

/// Unpacks it to a folder below `cache`, unless it is there already. The folder's name contains a
/// hash of its contents, and it appears complete or not at all. Notes that differ from those of
/// this binary are refused: only a stamp of 32 bits ties counters to notes.
pub fn unpack(cache_folder: &Path) -> io::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    for (_, bytes) in FILES {
        hasher.write(bytes);
    }
    let folder = cache_folder.join(format!("sqlite-{VERSION}-{:016x}", hasher.finish()));
    cache::install(&folder, |folder| {
        for (name, bytes) in FILES {
            std::fs::write(folder.join(name), zstd::decode_all(bytes)?)?;
        }
        Ok(())
    })?;
    let notes = folder.join(NOTES);
    if std::fs::read(&notes)? != zstd::decode_all(PACKED_NOTES)? {
        let what = format!("{}: not as it was unpacked (remove its folder)", notes.display());
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modified_notes_are_refused() {
        let cache = tempfile::tempdir().unwrap();
        let folder = unpack(cache.path()).unwrap();
        assert_eq!(unpack(cache.path()).unwrap(), folder);
        let mut notes = std::fs::read(folder.join(NOTES)).unwrap();
        *notes.last_mut().unwrap() ^= 1;
        std::fs::write(folder.join(NOTES), notes).unwrap();
        let said = unpack(cache.path()).unwrap_err().to_string();
        assert!(
            said.ends_with("sqlite3.gcno: not as it was unpacked (remove its folder)"),
            "{said}"
        );
    }
}
