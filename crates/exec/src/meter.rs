//! What libraries count that this process loads: for a process that does nothing else.

use std::io;

use metacov_core::{Cover, Reading};
use metacov_formats::{CoverageLoader, Error, Fault, Location, Snapshot};
use metacov_runtime::{ARENA_VARIABLE, SERVE_VARIABLE};

use crate::arena::{Arena, Contents};
use crate::trace::Trace;

/// The counters of libraries.
pub struct Meter {
    arena: Arena,
}

impl Meter {
    /// Libraries that are loaded from here on count here, and so do two generations of forked
    /// children, if each parent waits for its child.
    #[expect(unsafe_code, reason = "the environment is changed")]
    pub fn new() -> io::Result<Self> {
        let arena = Arena::new()?;
        // SAFETY: this process has one thread, as whoever makes a meter promises.
        unsafe {
            std::env::set_var(ARENA_VARIABLE, arena.own_path());
            std::env::set_var(SERVE_VARIABLE, "2");
        }
        Ok(Meter { arena })
    }

    /// From here on, what was counted so far is counted no more.
    pub fn reset(&mut self) -> io::Result<()> {
        if !self.arena.is_kept() {
            self.arena.keep();
            self.arena.keep_zero();
        }
        self.arena.clear()
    }

    /// Which counters counted since the last reset, which this is too.
    pub fn take_trace(&mut self, trace: &mut Trace) {
        self.arena.take_trace(trace);
    }

    /// How the counters of each image lie, and how many bytes they are.
    pub fn layouts(&self) -> Vec<(Vec<u8>, usize)> {
        match self.arena.contents() {
            Contents::Counters(snapshots) => {
                let layout =
                    |snapshot: &Snapshot<'_>| (snapshot.layout.to_vec(), snapshot.counters.len());
                snapshots.iter().map(layout).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What there is, and what ran since the last reset.
    pub fn read(&self, intake: &mut CoverageLoader<'_>) -> Result<Reading, Error> {
        intake.read_snapshots(&self.snapshots()?)
    }

    /// What ran since the last reset, of what has been read before.
    pub fn read_executed(&self, intake: &mut CoverageLoader<'_>) -> Result<Cover, Error> {
        intake.read_executed(&self.snapshots()?)
    }

    fn snapshots(&self) -> Result<Vec<Snapshot<'_>>, Error> {
        let fault = |what: &str| Err(Fault::malformed(Location::Whole, what).of("the library"));
        match self.arena.contents() {
            Contents::Counters(snapshots) if snapshots.is_empty() => {
                fault("it does not count (is it built with `metacov cc`?)")
            }
            // A process of ours never becomes another program.
            Contents::Counters(snapshots) | Contents::Unfinished(snapshots) => Ok(snapshots),
            Contents::Refused(version) => {
                fault(&format!("compiled by a gcc that is not known, version {version}"))
            }
            Contents::Full => fault("its counters do not fit into memory"),
        }
    }
}
