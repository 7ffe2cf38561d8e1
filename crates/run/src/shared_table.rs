//! One site table for all workers of a fold.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use metacov_core::{BuildMismatch, Cover, Reading, Renumbering, SiteTable, same_build};
use metacov_formats::{Error, Fault};

/// The site table whose numbers all workers use in their results.
///
/// A worker reads into a private table, without a lock, and updates the shared one only when its
/// own has changed: after the first few groups of a build, never again.
pub struct SharedTable {
    table: Mutex<SiteTable>,
    /// The sites that the first side of the first group lists, and the name of that side. All
    /// groups must be of its build.
    first: OnceLock<(Cover, String)>,
}

impl SharedTable {
    /// Creates a shared table from an existing one, with the sites that the first side of its first
    /// group listed and the name of that side, if there was one.
    pub fn of(table: SiteTable, first: Option<(Cover, String)>) -> Self {
        let shared = SharedTable { table: Mutex::new(table), first: OnceLock::new() };
        if let Some(first) = first {
            let _ = shared.first.set(first);
        }
        shared
    }

    /// Returns the current table. It only grows, so numbers never change.
    pub fn table(&self) -> MutexGuard<'_, SiteTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the table, after all workers have ended.
    pub fn into_table(self) -> SiteTable {
        self.table.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a reading of another build than the first.
    pub(crate) fn check(&self, reading: &Reading, name: &str) -> Result<(), Error> {
        let (known, _) = self.first.get_or_init(|| (reading.known.clone(), name.to_owned()));
        if *known == reading.known {
            return Ok(());
        }
        same_build(&self.table(), known, &reading.known)
            .map_err(|mismatch| self.other_build(mismatch, name))
    }

    fn other_build(&self, mismatch: BuildMismatch, name: &str) -> Error {
        let earlier = self.first.get().map_or("the pairs before", |(_, name)| name).to_owned();
        Fault::OtherBuild { earlier, mismatch }.of(name)
    }
}

impl Default for SharedTable {
    fn default() -> Self {
        SharedTable::of(SiteTable::new(), None)
    }
}

/// Converts the site numbers of a worker's private table to those of the shared one.
pub(crate) struct WorkerTable<'n> {
    shared: &'n SharedTable,
    /// The revision of the worker's table when it was last absorbed, and its numbers.
    taken: Option<(u64, Renumbering)>,
}

impl<'n> WorkerTable<'n> {
    pub(crate) fn of(shared: &'n SharedTable) -> Self {
        WorkerTable { shared, taken: None }
    }

    /// Returns the shared numbers of all sites of the worker's table, after `name` was read.
    pub(crate) fn numbers(&mut self, table: &SiteTable, name: &str) -> Result<&Renumbering, Error> {
        let taken = match self.taken.take() {
            Some(taken) if taken.0 == table.revision() => taken,
            _ => {
                let numbers = self.shared.table().absorb(table);
                let numbers =
                    numbers.map_err(|mismatch| self.shared.other_build(mismatch, name))?;
                (table.revision(), numbers)
            }
        };
        Ok(&self.taken.insert(taken).1)
    }
}
