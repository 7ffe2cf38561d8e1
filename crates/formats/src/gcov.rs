//! gcov's own data, without gcov: counters (`.gcda`) and the flow graphs that they belong to
//! (`.gcno`), as gcc 9 to 15 write them.
//!
//! gcc counts only some arcs of a function's flow graph; the rest follow, because the flow into a
//! block equals the flow out of it. So counters are solved first (`flow`), then projected to lines
//! and branches by gcov's rules (`entries`), and only then reduced to what ran.
//!
//! The notes are beside the counters; or where the counters would be without `GCOV_PREFIX`; or
//! below the folder that [`Scope::notes`](crate::Scope) names. They are compiled once (`compiled`):
//! graphs to additions (`tape`), and blocks and arcs to what makes a line run; shared by all workers
//! (`shared_notes`) and, for large programs, by later processes (`notes_cache`). Then, for each
//! table, lines become sites (`projection`) and sites become bits (`stencil`). Each execution takes
//! only additions, for functions whose counters have changed (`image`), and setting bits. The
//! counters may be in a file (`counters`) or in memory (`snapshot`).

mod compiled;
mod counters;
mod entries;
#[cfg(feature = "exact-counts")]
mod exact_counts;
mod flow;
mod image;
mod lanes;
mod notes;
mod notes_cache;
mod notes_index;
mod projection;
mod shared_notes;
mod snapshot;
mod stencil;
mod tape;
mod unit;
mod words;

use crate::{CoverageFile, Fault, Reader, SiteRecorder};

#[cfg(feature = "exact-counts")]
pub use exact_counts::{BranchCount, FileCounts, FunctionCounts, LineCounts, UnitCounts};
pub use lanes::{Counter, SEGMENT_COUNTERS, Segment, counted_bits};
pub use shared_notes::SharedNotes;
pub use snapshot::{EXECUTIONS_MAX, Snapshot};

#[cfg(feature = "exact-counts")]
pub(crate) use exact_counts::{tell_file, tell_snapshots};
pub(crate) use notes_index::{NotesIndex, counters_below};
pub(crate) use snapshot::{IN_MEMORY, Images, OnInconsistency};

/// gcov's notes alone: all code of a translation unit, without counters.
pub(crate) struct Gcno;

impl Reader for Gcno {
    fn name(&self) -> &'static str {
        "gcov notes (.gcno)"
    }

    fn detect(&self, head: &[u8]) -> bool {
        head.starts_with(b"oncg") || head.starts_with(b"gcno")
    }

    fn lists_only_code(&self) -> bool {
        true
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        counters::read_notes(input, recorder)
    }
}

/// gcov's counters.
pub(crate) struct Gcda;

impl Reader for Gcda {
    fn name(&self) -> &'static str {
        "gcov data (.gcda)"
    }

    fn detect(&self, head: &[u8]) -> bool {
        head.starts_with(b"adcg") || head.starts_with(b"gcda")
    }

    fn read(&self, input: &mut CoverageFile, recorder: &mut SiteRecorder<'_>) -> Result<(), Fault> {
        counters::read(input, recorder)
    }
}
