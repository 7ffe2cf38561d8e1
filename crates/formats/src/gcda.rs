//! gcov's own data, without gcov: counters (`.gcda`) and the flow graphs that they belong to
//! (`.gcno`), as gcc 9 to 15 write them.
//!
//! gcc counts only some arcs of a function's flow graph; the rest follow, since as much flows
//! into a block as out of it. So counters are solved first, then projected to lines and branches
//! by gcov's rules, and only then reduced to what ran.
//!
//! The notes lie beside the counters, or in the folder that [`Scope::notes`](crate::Scope) names.
//! They are read once and serve for all counters of the build.

mod counters;
mod entries;
mod flow;
mod notes;
mod shelf;
mod words;

use crate::{Fault, Input, Reader, Recorder};

pub(crate) use shelf::Shelf;

/// gcov's counters.
pub(crate) struct Gcda;

impl Reader for Gcda {
    fn name(&self) -> &'static str {
        "gcov data (.gcda)"
    }

    fn detect(&self, head: &[u8]) -> bool {
        head.starts_with(b"adcg") || head.starts_with(b"gcda")
    }

    fn read(&self, input: &mut Input, recorder: &mut Recorder<'_>) -> Result<(), Fault> {
        counters::read(input, recorder)
    }
}
