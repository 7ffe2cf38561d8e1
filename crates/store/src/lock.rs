//! One writer for a run file.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

/// The kernel releases the files of a killed process with a delay. Starting the next process at
/// once should not fail for that reason.
const WAIT: Duration = Duration::from_millis(10);
const WAITS: u32 = 50;

/// The lock for writing a run file. It ends with the process, however that ends.
///
/// SQLite's own locks are for single transactions and belong to the process; this one is separate.
/// It must be dropped after all connections to the file are closed: closing any descriptor of a
/// file drops SQLite's locks on it.
pub(crate) struct Lock(#[cfg_attr(not(test), expect(dead_code, reason = "held, not used"))] File);

impl Lock {
    /// Takes the lock; none if another process has it. Creates the file if it does not exist.
    pub(crate) fn take(path: &Path) -> io::Result<Option<Lock>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path)?;
        for _ in 0..WAITS {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) if is_at(&file, path)? => return Ok(Some(Lock(file))),
                // Another process has replaced the file meanwhile.
                Ok(()) => file = options.open(path)?,
                Err(rustix::io::Errno::WOULDBLOCK) => thread::sleep(WAIT),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }
}

/// Whether the path leads to this file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let identity = |metadata: Metadata| (metadata.dev(), metadata.ino());
    match std::fs::metadata(path) {
        Ok(there) => Ok(identity(there) == identity(file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_waits_for_a_process_that_is_ending() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.metacov");
        let first = Lock::take(&path).unwrap().unwrap();
        assert!(Lock::take(&path).unwrap().is_none());
        let leaves = thread::spawn(move || {
            thread::sleep(WAIT * 3);
            drop(first);
        });
        assert!(Lock::take(&path).unwrap().is_some());
        leaves.join().unwrap();
    }

    #[test]
    fn a_replaced_file_is_locked_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.metacov");
        let first = Lock::take(&path).unwrap().unwrap();
        let replaced = path.clone();
        let thread = thread::spawn(move || {
            thread::sleep(WAIT * 3);
            let new = replaced.with_extension("new");
            File::create(&new).unwrap();
            std::fs::rename(&new, &replaced).unwrap();
            drop(first);
        });
        let second = Lock::take(&path).unwrap().unwrap();
        thread.join().unwrap();
        assert!(is_at(&second.0, &path).unwrap());
        assert!(Lock::take(&path).unwrap().is_none());
    }
}
