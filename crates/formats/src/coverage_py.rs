//! coverage.py, in two formats: its JSON report, which lists all code, and its data file, which
//! contains only what ran, by context.

mod connection;
mod json;
mod sqlite;

pub(crate) use sqlite::contexts;

use crate::{CoverageFile, Fault, Reader, SiteRecorder, holds};

/// coverage.py's JSON report (`coverage json`), versions 1 to 3.
pub(crate) struct CoveragePyJson;

impl Reader for CoveragePyJson {
    fn name(&self) -> &'static str {
        "coverage.py JSON"
    }

    fn detect(&self, head: &[u8]) -> bool {
        head.starts_with(b"{")
            && (holds(head, "\"branch_coverage\"") && holds(head, "\"show_contexts\"")
                || holds(head, "\"executed_lines\"") && holds(head, "\"missing_lines\""))
    }

    fn has_contexts(&self) -> bool {
        true
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        json::report(input, recorder)
    }
}

/// coverage.py's data file (`.coverage`), schema 7 (coverage.py 5.0 and later).
pub(crate) struct CoveragePyData;

impl Reader for CoveragePyData {
    fn name(&self) -> &'static str {
        "coverage.py data"
    }

    fn detect(&self, head: &[u8]) -> bool {
        head.starts_with(sqlite::MAGIC) || head.starts_with(sqlite::OLD_MAGIC)
    }

    fn has_contexts(&self) -> bool {
        true
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        sqlite::data(input, recorder)
    }
}
