//! Bytes to covers and back, for every coverage file that people have.
//!
//! **The key design decision of this crate**: a reader hands every line, branch, function and
//! region of a report to one recorder, which numbers it in one site table and sets a bit. No
//! report is ever held as a tree, counts are reduced to "ran or not" where they are read, and
//! which code counts ([`Scope`]) is decided at that same place, once for all sides.
//!
//! A format is a folder and a line in `READERS` or `WRITERS`. Formats are told by their
//! content, never by the name of the file.
//!
//! The crate reads and writes the files that it is given. It starts no process and prints nothing.

mod error;
mod gcov_json;
mod gcovr_json;
mod input;
mod intake;
mod json;
mod lcov;
mod lines;
mod recorder;
mod scope;

pub use error::{Error, Fault, Place};
pub use input::Input;
pub use intake::{FileSpec, Intake};
pub use scope::Scope;

pub(crate) use recorder::{Record, Recorder};

/// All formats that are read. The first that knows the content reads it.
pub(crate) const READERS: &[&dyn Reader] =
    &[&gcovr_json::GcovrJson, &gcov_json::GcovJson, &lcov::Lcov];

/// The names of all formats that are read.
pub fn reader_names() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|reader| reader.name())
}

/// A format that is read.
pub(crate) trait Reader: Sync {
    /// What people call it.
    fn name(&self) -> &'static str;

    /// Whether content that starts like this is of the format.
    fn detect(&self, head: &[u8]) -> bool;

    /// Whether a file holds several tests or contexts, one of which can be chosen.
    fn has_contexts(&self) -> bool {
        false
    }

    /// Records all sites of a report.
    fn read(&self, input: &mut Input, recorder: &mut Recorder<'_>) -> Result<(), Fault>;
}

/// Whether `head` holds `text`.
fn holds(head: &[u8], text: &str) -> bool {
    memchr::memmem::find(head, text.as_bytes()).is_some()
}
