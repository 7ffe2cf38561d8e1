//! One writer for a run file.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// The right to write a run file. It ends with the process, whichever way that ends.
///
/// SQLite's own locks are for single transactions and belong to the process; this one is beside
/// them. It must be dropped after all connections to the file are closed: closing any descriptor
/// of a file drops SQLite's locks on it.
pub(crate) struct Lock(#[expect(dead_code, reason = "held, not used")] File);

impl Lock {
    /// Takes the right; none if another process has it. The file is made if it is not there.
    pub(crate) fn take(path: &Path) -> io::Result<Option<Lock>> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Lock(file))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
