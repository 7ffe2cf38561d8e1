//! Run files: written while a run goes on, read at any time, and merged.
//!
//! **The key design decision of this crate**: a run file stores observations, never conclusions.
//! Each side of each pair is stored with its exact cover, and every number, table and report is
//! computed by folding the stored pairs again. So a report of a file equals the report of the run
//! itself, a run that was interrupted at any moment is a shorter run, and merging is a union of
//! pairs.
//!
//! A run file is an SQLite database that can be queried:
//!
//! ```text
//! meta      key, value                the command; the operation; whether it is complete; the build
//! setting   key, value                the options that affect the numbers
//! file      id, path                  the source files
//! source    id, hash, bytes, content  texts of source files, once for each content, compressed (zstd); of more
//!                                     than 4 MiB, only the hash and the number of bytes
//! file_source  file, source           which file has which text, as far as it could be read
//! symbol    id, name                  names of functions and branches
//! site      id, file, line,           all sites; the id is the number of
//!           criterion, kind, symbol,  the bit in covers, from zero
//!           n1, n2, n3, n4, instance,
//!           shown, last_line,
//!           excluded, mark_kind, mark
//! relation  id, name
//! pair      id, place, relation,      one row for each group of sides: `holds` or `violated` (and
//!           name, sides, verdict,     how), `measured` if not judged, or how a side failed;
//!           failed_side, exit_code,   its setup; how long it took; in how many sites
//!           signal, last_words,       its sides differ; the judge, if there was one
//!           violation, setup,
//!           microseconds, differing,
//!           fingerprint, judge
//! setup     id, content, fingerprint  the setup of the state that sides of many pairs start from
//! input     pair, side, number, name, the inputs of each side: the first 64 KiB, and how many
//!           content, bytes, hash      bytes there were; the hash is of all of them
//! side      pair, side, told, naming, the covers of the sides of measured pairs
//!           executed, known, flaky
//! base      executed, known,          one row: the first side that was measured
//!           fingerprint
//! round     trial, number, summary,   the rounds of campaigns: counts, findings, and what each
//!           findings, lesson,         added to what the campaign knows
//!           fingerprint
//! ```
//!
//! Pairs that were run with mutants have two more tables (`crates/store/src/mutants.rs`).
//!
//! Sides of one build are similar, so a cover is stored as its difference from another:
//! `side.executed` of side 0 from `base.executed`, that of any other side from side 0 of its pair
//! (of a pair, that is its compressed difference); `side.known` from `base.known`, and NULL if it
//! does not differ; `side.flaky` and the base from the empty set. A set of sites is stored as its
//! ranges of consecutive numbers:
//!
//! ```text
//! { gap since the end of the last range, length of the range } ...   as LEB128 varints
//! 2, 3, 4, 7  is  02 03 02 01
//! ```
//!
//! Content is TEXT if it is valid text, or else a BLOB. The column `told` has a bit for each criterion that
//! the side reports (1 line, 2 branch, 4 function, 8 region, 16 block), `naming` one for each way
//! of naming branches, `fingerprint` is FNV-1a of the row and its sides; so is `seal` in `meta`, of
//! all the rest, once a run has ended.
//!
//! While a run is written, its file has a write-ahead log beside it (`-wal`, `-shm`): however the
//! process ends, everything that was committed is kept, and reports can be generated meanwhile. A
//! clean end removes them. Results are committed every tenth of a second.

mod base;
mod check;
mod header;
mod inputs;
mod lock;
mod measured_sources;
mod merge;
mod mutants;
mod outputs;
mod pairs;
mod provenance;
mod recorder;
mod recording;
mod related;
mod repair;
mod replace_file;
mod rounds;
mod run;
mod schema;
mod seal;
mod sites;
mod sources;

/// The extension of run files.
pub const RUN_FILE: &str = "metacov";

pub use check::{RunCheck, check_run};
pub use header::{Header, Settings};
pub use measured_sources::MeasuredSources;
pub use merge::{BUILD, Merged, merge};
pub use mutants::{MutantRun, MutantWriter, StoredMutants, remove_mutants};
pub use pairs::StoredPair;
pub use provenance::Provenance;
pub use recorder::RunWriter;
pub use recording::{RecordedRun, Recording, RunFile};
pub use related::MeasuredProgram;
pub use repair::{Repaired, repair_run};
pub use replace_file::replace_file;
pub use rounds::StoredRound;
pub use run::Run;
pub use sources::{SourceText, SourceTexts};
