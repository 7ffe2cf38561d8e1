//! Bad files: damaged, cut off, hostile. Whatever the bytes, a reader ends in a reading or in a
//! message with a place; it never panics, and its memory stays bounded.
//!
//! This is a test binary of its own because it has its own allocator, which counts. What C
//! libraries allocate (zstd, SQLite) is not counted.

mod bombs;
mod damage;
mod fixtures;
#[path = "../readers/memory.rs"]
mod memory;
mod notes;
mod probe;
mod snapshots;

use fixtures::{FORMATS, Fixture, fixtures};
use metacov_formats::{CoverageFile, detected_names, reader_names};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

#[test]
fn every_fixture_is_known_by_its_content() {
    for Fixture { path, format, bytes } in fixtures() {
        let input = CoverageFile::from_bytes(bytes).unwrap();
        let found: Vec<&str> = detected_names(input.head()).collect();
        let right = matches!(found[..], [name] if format.readers.contains(&name));
        assert!(right, "{} is taken for {found:?}", path.display());
    }
}

#[test]
fn every_format_that_is_read_has_fixtures() {
    for name in reader_names() {
        let has = FORMATS.iter().any(|format| format.readers.contains(&name));
        assert!(has, "{name} has none");
    }
}
