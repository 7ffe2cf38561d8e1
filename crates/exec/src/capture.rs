//! Captures: which sites ran since the last reset.

mod gcov;
mod trace;

use std::io;

use metacov_core::{Cover, Reading, SiteTable};

pub use gcov::GcovCapture;
pub use trace::Trace;

/// Tells which sites of a target ran. It owns the site table, and is made before the target is opened, so that it can
/// prepare the process that the target is loaded into.
pub trait Capture {
    /// All sites of the opened target, and those that ran so far. Comes before all other calls.
    fn read_all(&mut self) -> io::Result<Reading>;

    /// What ran so far does not count any more.
    fn reset(&mut self) -> io::Result<()>;

    /// The sites that ran since the last reset.
    fn read(&mut self) -> io::Result<Cover>;

    /// A cheap fingerprint of what ran since the last reset, which this is too.
    fn take_trace(&mut self, trace: &mut Trace);

    /// The site table.
    fn table(&self) -> &SiteTable;

    /// Releases what only [`read_all`](Self::read_all) needed: this process forks often, which takes the longer the more
    /// memory it has.
    fn release_notes(&mut self) {}
}
