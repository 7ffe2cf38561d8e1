//! Runs in a file: written while they go on, read back at any time, merged.
//!
//! **The key design decision of this crate**: a run file holds what was *seen*, never what was
//! concluded from it. Each side of each pair is stored with its exact cover, and every number, table
//! and report is made by folding the stored pairs again. So a report of a file is the report that
//! the run itself would have shown, a run that was cut at any moment is a shorter run, and merging
//! is a union of pairs.
//!
//! A run file is an SQLite data base that anybody can query:
//!
//! ```text
//! meta      key, value                what made it; the operation; whether it is complete; the build
//! setting   key, value                the options that have a say in the numbers
//! file      id, path                  the source files
//! symbol    id, name                  names of functions and branches
//! site      id, file, line,           all places that run or do not run; the id is the number of
//!           criterion, kind, symbol,  its bit in covers, from zero
//!           n1, n2, n3, n4, instance,
//!           shown, last_line,
//!           excluded, mark_kind, mark
//! relation  id, name
//! pair      id, place, relation,      one row for each group of sides: `holds` or `violated` (and
//!           name, sides, verdict,     how), `measured` if nobody judged it, or how a side failed;
//!           failed_side, exit_code,   what it started from; how long it took; in how many sites
//!           signal, last_words,       its sides differ; the judge, if there was one
//!           violation, setup,
//!           microseconds, differing,
//!           fingerprint, judge
//! setup     id, content, fingerprint  what made the state that the sides of many pairs start from
//! input     pair, side, number, name, what each side was run on: its first 64 KiB, and how many
//!           content, bytes            bytes it had
//! side      pair, side, told, naming, the covers of the sides of measured pairs
//!           executed, known, flaky
//! base      executed, known,          one row: the first side that was measured
//!           fingerprint
//! round     trial, number, summary,   the rounds of campaigns: what came of each, what it found, what it
//!           findings, lesson,         added to what the campaign knows
//!           fingerprint
//! ```
//!
//! Sides of one build are much alike, so a cover is stored as what it differs in from another:
//! `side.executed` of side 0 from `base.executed`, that of any other side from side 0 of its pair
//! (of a pair, that is its compressed difference); `side.known` from `base.known`, and NULL if it
//! does not differ; `side.flaky` and the base from the empty set. A set of sites is stored as its
//! stretches of numbers that follow each other:
//!
//! ```text
//! { gap since the end of the last stretch, length of the stretch } ...   as LEB128 varints
//! 2, 3, 4, 7  is  02 03 02 01
//! ```
//!
//! Content is TEXT if it is one, or else a BLOB. `told` has a bit for each criterion that the side tells (1 line, 2 branch, 4 function, 8
//! region, 16 block), `naming` one for each way of naming branches, `fingerprint` is FNV-1a of the row and
//! its sides; so is `seal` in `meta`, of all the rest, once a run has come to an end.
//!
//! While a run is written, its file has a write-ahead log beside it (`-wal`, `-shm`): whatever
//! ends the process, all that was committed is there, and reports can be made meanwhile. A clean
//! end takes them away. Results are committed every tenth of a second.

mod base;
mod header;
mod inputs;
mod lock;
mod merge;
mod pairs;
mod recorder;
mod replace_file;
mod rounds;
mod run;
mod schema;
mod seal;
mod sites;

/// The extension of run files.
pub const RUN_FILE: &str = "metacov";

pub use header::{Header, Settings};
pub use merge::{BUILD, Merged, merge};
pub use pairs::StoredPair;
pub use recorder::RunWriter;
pub use replace_file::replace_file;
pub use rounds::StoredRound;
pub use run::Run;
