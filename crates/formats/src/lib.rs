//! Reads and writes coverage files: bytes to covers and back.
//!
//! **The key design decision of this crate**: a reader passes every line, branch, function and
//! region of a report to one recorder, which numbers it in one site table and sets a bit. No report
//! is ever held as a tree, counts are reduced to "ran or not" where they are read, and which code
//! counts ([`Scope`]) is decided at that same place, once for all sides.
//!
//! A format is a folder and a line in `READERS` or `WRITERS`. Formats are detected by content,
//! never by the name of the file.
//!
//! The crate reads and writes only the files that it is given. It starts no process and no thread.

mod checksum;
mod cobertura;
mod content_hash;
mod coverage_file;
mod coverage_py;
mod error;
mod export;
mod gcov;
mod gcov_json;
mod gcovr_json;
mod go;
mod istanbul;
mod jacoco;
mod lcov;
mod llvm_json;
mod loader;
mod manifest;
mod metacov_json;
mod patch;
mod scope;
mod site_recorder;
mod syntax;
mod unit_marks;
mod universe;

use std::io::{self, Write};

pub use content_hash::content_hash;
pub use coverage_file::CoverageFile;
pub use error::{Error, Fault, Location, io_message};
pub use export::Export;
#[cfg(feature = "exact-counts")]
pub use gcov::{BranchCount, FileCounts, FunctionCounts, LineCounts, UnitCounts};
pub use gcov::{
    Counter, EXECUTIONS_MAX, SEGMENT_COUNTERS, Segment, SharedNotes, Snapshot, counted_bits,
};
pub use gcovr_json::GcovrFormat;
pub use loader::{CoverageLoader, FileSpec};
pub use manifest::{GroupSpec, ManifestSide, PairList, Specs, check_relation};
pub use patch::{DiffLine, FileDiff, added_lines, read_diff};
pub use scope::{LeftOut, LeftOutCounts, NotesSearch, Scope};

pub(crate) use site_recorder::{Record, SiteRecorder};

/// All formats that metacov reads. The first that recognises the content reads it.
pub(crate) const READERS: &[&dyn Reader] = &[
    &gcovr_json::GcovrJson,
    &gcov_json::GcovJson,
    &gcov::Gcda,
    &gcov::Gcno,
    &llvm_json::LlvmJson,
    &coverage_py::CoveragePyJson,
    &coverage_py::CoveragePyData,
    &istanbul::Istanbul,
    &lcov::Lcov,
    &cobertura::Cobertura,
    &jacoco::Jacoco,
    &go::Go,
];

/// Returns the names of all formats that metacov reads.
pub fn reader_names() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|reader| reader.name())
}

/// Returns the names of the formats that recognise content with this start: one, if it is known.
pub fn detected_names(head: &[u8]) -> impl Iterator<Item = &'static str> {
    READERS.iter().filter(|reader| reader.detect(head)).map(|reader| reader.name())
}

/// All coverage formats that metacov writes.
pub const WRITERS: &[&dyn Writer] =
    &[&gcovr_json::GcovrJson, &lcov::Lcov, &cobertura::Cobertura, &metacov_json::MetacovJson];

/// A format to write.
pub trait Writer: Sync {
    /// Returns the name that users type.
    fn name(&self) -> &'static str;

    /// Returns the file name extensions that stand for it.
    fn extensions(&self) -> &'static [&'static str];

    /// Whether it needs the result of each pair, not only the totals.
    fn needs_pairs(&self) -> bool {
        false
    }

    /// Writes a suite.
    fn write(&self, export: &Export<'_>, out: &mut dyn Write) -> io::Result<()>;
}

/// A format to read.
pub(crate) trait Reader: Sync {
    /// Its name in messages.
    fn name(&self) -> &'static str;

    /// Whether content with this start has the format.
    fn detect(&self, head: &[u8]) -> bool;

    /// Whether a file contains several tests or contexts, one of which can be chosen.
    fn has_contexts(&self) -> bool {
        false
    }

    /// Whether a file lists code but not what ran, so it cannot be a side.
    fn lists_only_code(&self) -> bool {
        false
    }

    /// Records all sites of a report.
    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault>;
}

/// Whether `head` contains `text`.
fn holds(head: &[u8], text: &str) -> bool {
    memchr::memmem::find(head, text.as_bytes()).is_some()
}
