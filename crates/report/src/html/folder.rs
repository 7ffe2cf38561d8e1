//! Writes pages to a folder.

use std::fs;
use std::io;
use std::path::Path;

use super::{ReadSource, WrittenPages, write};
use crate::digest::Digest;

/// A file that only pages have: a folder that contains it may be overwritten.
const MARK: &str = "data/run.js";

/// Writes the pages of a run to a folder. Pages that were there before are replaced; a folder with
/// other files is refused.
pub fn write_folder(
    digest: &Digest,
    library: ReadSource<'_>,
    folder: &Path,
) -> io::Result<WrittenPages> {
    clear(folder)?;
    write(digest, library, &mut |path, bytes| fs::write(folder.join(path), bytes))
}

fn clear(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    if fs::read_dir(folder)?.next().is_some() && !folder.join(MARK).is_file() {
        let what = "it has other files in it; choose a new folder, or one with pages";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
    }
    for part in ["data", "assets"] {
        let part = folder.join(part);
        if part.is_dir() {
            fs::remove_dir_all(&part)?;
        }
        fs::create_dir(&part)?;
    }
    // The mark comes first, so that unfinished pages can be overwritten too.
    fs::write(folder.join(MARK), "")
}
