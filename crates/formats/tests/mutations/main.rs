//! Bad files: damaged, truncated, hostile. For any bytes, a reader returns a reading or an error
//! with a position; it never panics, and its memory stays bounded.
//!
//! This is a separate test binary because it has a counting allocator. Allocations of C libraries
//! (zstd, SQLite) are not counted.

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
fn every_fixture_is_detected_by_its_content() {
    for Fixture { path, format, bytes } in fixtures() {
        let input = CoverageFile::from_bytes(bytes).unwrap();
        let found: Vec<&str> = detected_names(input.head()).collect();
        let right = matches!(found[..], [name] if format.readers.contains(&name));
        assert!(right, "{} is taken for {found:?}", path.display());
    }
}

#[test]
fn every_reader_has_fixtures() {
    for name in reader_names() {
        let has = FORMATS.iter().any(|format| format.readers.contains(&name));
        assert!(has, "{name} has none");
    }
}
