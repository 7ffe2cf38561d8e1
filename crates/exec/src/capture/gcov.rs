//! gcov's counters of libraries that this process loads. The process must do nothing else.

use std::io;

use metacov_core::{Cover, Reading, SiteTable};
use metacov_formats::{CoverageLoader, EXECUTIONS_MAX, Error, Fault, Location, Scope, Snapshot};
use metacov_runtime::{ARENA_VARIABLE, SERVE_VARIABLE};

use super::{Capture, Trace};
use crate::arena::{Arena, Contents};

/// Captures the counters of libraries that this process loads, in shared memory.
pub struct GcovCapture<'s> {
    arena: Arena,
    loader: CoverageLoader<'s>,
    /// The executions that were taken: the result of those that were solved at once.
    taken: Vec<Option<io::Result<Cover>>>,
}

impl<'s> GcovCapture<'s> {
    /// Creates a capture for libraries that are loaded from here on, and for two generations of
    /// forked children, if each parent waits for its child.
    #[expect(unsafe_code, reason = "the environment is changed")]
    pub fn new(scope: &'s Scope) -> io::Result<Self> {
        let arena = Arena::new()?;
        // SAFETY: this process has one thread, as the caller promises.
        unsafe {
            std::env::set_var(ARENA_VARIABLE, arena.own_path());
            std::env::set_var(SERVE_VARIABLE, "2");
        }
        Ok(GcovCapture { arena, loader: CoverageLoader::new(scope), taken: Vec::new() })
    }
}

impl Capture for GcovCapture<'_> {
    fn read_all(&mut self) -> io::Result<Reading> {
        // Borrows the arena only, because the loader is borrowed mutably.
        let snapshots = snapshots(&self.arena).map_err(io::Error::other)?;
        self.loader.read_snapshots(&snapshots).map_err(io::Error::other)
    }

    fn reset(&mut self) -> io::Result<()> {
        if !self.arena.is_kept() {
            self.arena.keep();
            self.arena.keep_zero();
        }
        self.arena.clear()
    }

    fn take(&mut self) -> io::Result<()> {
        if self.arena.has_only_kept() {
            let taken = self.arena.take(|layout, counters| self.loader.take(layout, counters));
            taken.map_err(io::Error::other)?;
            self.loader.end_execution();
            self.taken.push(None);
        } else {
            // The target has forked, or has loaded another library.
            let reading = self.read_all();
            self.arena.clear()?;
            self.taken.push(Some(reading.map(|reading| reading.executed)));
        }
        Ok(())
    }

    fn has_room(&self, executions: usize) -> bool {
        self.taken.len() + executions <= EXECUTIONS_MAX
    }

    fn solve(&mut self) -> Vec<io::Result<Cover>> {
        let mut solved = self.loader.solve().into_iter();
        let mut next = || match solved.next() {
            Some(solved) => solved.map_err(io::Error::other),
            None => Err(io::Error::other("an execution was not solved")),
        };
        self.taken.drain(..).map(|taken| taken.unwrap_or_else(&mut next)).collect()
    }

    fn take_trace(&mut self, trace: &mut Trace) {
        self.arena.take_trace(trace);
    }

    fn table(&self) -> &SiteTable {
        self.loader.table()
    }

    fn release_notes(&mut self) {
        self.loader.forget_notes();
    }
}

fn snapshots(arena: &Arena) -> Result<Vec<Snapshot<'_>>, Error> {
    let fault = |what: &str| Err(Fault::malformed(Location::Whole, what).of("the library"));
    match arena.contents() {
        Contents::Counters(snapshots) if snapshots.is_empty() => {
            fault("no counters: build it with `metacov cc`")
        }
        // A worker never executes another program.
        Contents::Counters(snapshots) | Contents::Unfinished(snapshots) => Ok(snapshots),
        Contents::Refused(version) => {
            fault(&format!("compiled by a gcc that is not known, version {version}"))
        }
        Contents::Full => fault("its counters do not fit into memory"),
    }
}
