//! Captures: which sites ran since the last reset.

mod gcov;
mod trace;

use std::io;

use metacov_core::{Cover, Reading, SiteTable};

pub use gcov::GcovCapture;
pub use trace::Trace;

/// Reports which sites of a target ran. It owns the site table, and is created before the target is
/// opened, so that it can prepare the process that the target is loaded into.
pub trait Capture {
    /// Returns all sites of the opened target, and those that ran so far. Must be called before the
    /// other methods.
    fn read_all(&mut self) -> io::Result<Reading>;

    /// Discards what ran so far.
    fn reset(&mut self) -> io::Result<()>;

    /// Keeps what ran since the last reset for [`solve`](Self::solve), and resets.
    fn take(&mut self) -> io::Result<()>;

    /// Whether there is room for this many more executions before they have to be solved.
    fn has_room(&self, executions: usize) -> bool;

    /// Returns the sites that ran in each execution that was taken; or an error, if its counters do not
    /// add up.
    fn solve(&mut self) -> Vec<io::Result<Cover>>;

    /// Returns the sites that ran since the last reset, and resets. No execution may wait to be solved.
    fn read(&mut self) -> io::Result<Cover> {
        self.take()?;
        self.solve().pop().unwrap_or_else(|| Err(io::Error::other("no execution was taken")))
    }

    /// Stores a cheap fingerprint of what ran since the last reset, and resets.
    fn take_trace(&mut self, trace: &mut Trace);

    /// Returns the site table.
    fn table(&self) -> &SiteTable;

    /// Releases what only [`read_all`](Self::read_all) needed: this process forks often, and
    /// forking takes longer with more memory.
    fn release_notes(&mut self) {}
}
