//! Sections of ELF files.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// The largest section that is read.
const BYTES_MAX: u64 = 1 << 30;

/// Returns the content of a section; none if the file has no such section, or is no 64-bit little-endian
/// ELF file.
pub(crate) fn section(path: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    Ok(find(&file, name))
}

fn find(file: &File, name: &str) -> Option<Vec<u8>> {
    let header = read(file, 0, 64)?;
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (start, size) = (number(&header, 40, 8)?, number(&header, 58, 2)?);
    let (count, names) = (number(&header, 60, 2)?, number(&header, 62, 2)?);
    let section = |at: u64| read(file, start.checked_add(at.checked_mul(size)?)?, 64);
    let content = |section: &[u8]| read(file, number(section, 24, 8)?, number(section, 32, 8)?);
    let names = content(&section(names)?)?;
    (0..count).find_map(|at| {
        let section = section(at)?;
        let rest = names.get(usize::try_from(number(&section, 0, 4)?).ok()?..)?;
        let is_it = rest.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0));
        is_it.then(|| content(&section)).flatten()
    })
}

fn read(file: &File, at: u64, size: u64) -> Option<Vec<u8>> {
    if size > BYTES_MAX.min(file.metadata().ok()?.len()) {
        return None;
    }
    let mut bytes = vec![0; usize::try_from(size).ok()?];
    file.read_exact_at(&mut bytes, at).ok()?;
    Some(bytes)
}

fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + size)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}
