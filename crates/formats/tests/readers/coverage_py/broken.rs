//! Malformed data files.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{fixture, scope};
use crate::sets::read;

/// A modified copy of a data file.
fn changed(folder: &Path, change: &str) -> PathBuf {
    let path = folder.join("changed");
    std::fs::copy(fixture("7.17.2/contexts-lines.coverage"), &path).unwrap();
    Connection::open(&path).unwrap().execute_batch(change).unwrap();
    path
}

#[test]
fn broken_data_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = "an SQLite data base that is not coverage.py's: no column";
    for (change, message) in [
        (
            "DROP TABLE coverage_schema",
            &format!("{foreign} `version` in a table `coverage_schema`"),
        ),
        ("ALTER TABLE arc RENAME tono TO x", &format!("{foreign} `tono` in a table `arc`")),
        (
            "ALTER TABLE line_bits RENAME TO x;
             CREATE VIEW line_bits AS SELECT * FROM x",
            &format!("{foreign} `file_id` in a table `line_bits`"),
        ),
        (
            "UPDATE coverage_schema SET version = 8",
            &"coverage.py data schema version 8 is not known (metacov reads 7)".to_owned(),
        ),
        (
            "DELETE FROM coverage_schema",
            &"coverage.py data schema version (none) is not known (metacov reads 7)".to_owned(),
        ),
        (
            "UPDATE line_bits SET numbits = 'text'",
            &"invalid numbits, or over 131072 bytes".to_owned(),
        ),
        (
            "UPDATE line_bits SET numbits = zeroblob(2000000)",
            &"invalid numbits, or over 131072 bytes".to_owned(),
        ),
        (
            "UPDATE file SET path = x'00ff'",
            &"Invalid column type Blob at index: 1, name: path".to_owned(),
        ),
        (
            "UPDATE file SET path = ''",
            &"the file name \"\" is empty or has control characters".to_owned(),
        ),
    ] {
        let path = changed(folder.path(), change);
        let message = format!("{}: {message}", path.display());
        assert_eq!(read(&scope(), &[path]).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_truncated_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("short");
    let bytes = std::fs::read(fixture("7.17.2/contexts.coverage")).unwrap();
    for length in [4096, 20000] {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let message = format!("{}: database disk image is malformed", path.display());
        assert_eq!(read(&scope(), std::slice::from_ref(&path)).unwrap_err().to_string(), message);
    }
}

/// A page of SQLite that has only this page as its child, many times.
fn interior_page(child: u32) -> Vec<u8> {
    const CELLS: u16 = 300;
    let mut page = vec![0; 4096];
    let content = 4096 - CELLS * 5;
    page[0] = 5;
    page[3..5].copy_from_slice(&CELLS.to_be_bytes());
    page[5..7].copy_from_slice(&content.to_be_bytes());
    page[8..12].copy_from_slice(&child.to_be_bytes());
    for cell in 0..CELLS {
        let at = content + cell * 5;
        let pointer = 12 + 2 * usize::from(cell);
        page[pointer..pointer + 2].copy_from_slice(&at.to_be_bytes());
        let at = usize::from(at);
        page[at..at + 4].copy_from_slice(&child.to_be_bytes());
        page[at + 4] = 1;
    }
    page
}

#[test]
fn cyclic_pages_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = changed(folder.path(), "");
    let mut bytes = std::fs::read(&path).unwrap();
    let data = Connection::open(&path).unwrap();
    let query = "SELECT rootpage FROM sqlite_schema WHERE name = 'file'";
    let root: u32 = data.query_row(query, [], |row| row.get(0)).unwrap();
    // Nine levels: 300^8 times the one row of the table, in a file of 90 KB.
    let root = root as usize - 1;
    let mut page = bytes[root * 4096..][..4096].to_vec();
    for _ in 0..8 {
        bytes.append(&mut page);
        page = interior_page(u32::try_from(bytes.len() / 4096).unwrap());
    }
    bytes[root * 4096..][..4096].copy_from_slice(&page);
    let pages = u32::try_from(bytes.len() / 4096).unwrap();
    bytes[28..32].copy_from_slice(&pages.to_be_bytes());
    drop(data);
    std::fs::write(&path, bytes).unwrap();
    let message = read(&scope(), &[path]).unwrap_err().fault.to_string();
    assert_eq!(message, "damaged database: it yields more rows than it can hold");
}

#[test]
fn old_data_files_are_reported_as_such() {
    let path = fixture("4.5.4/a.coverage");
    let message = "coverage.py version 4 or earlier, which is text, is not known (metacov reads \
                   data files of coverage.py 5.0 and later)";
    let message = format!("{}: {message}", path.display());
    assert_eq!(read(&scope(), &[path]).unwrap_err().to_string(), message);
}
