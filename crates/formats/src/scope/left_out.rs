//! Counts what markers in the sources exclude, to report it to users.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// What the markers have excluded so far, shared by all copies of a scope.
#[derive(Clone, Debug, Default)]
pub struct LeftOut(Arc<Mutex<Lines>>);

/// By path and number.
#[derive(Debug, Default)]
struct Lines {
    whole: BTreeSet<(String, u32)>,
    /// Lines that count, without their branches.
    branches: BTreeSet<(String, u32)>,
}

/// How much was excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOutCounts {
    /// Lines that are excluded with everything on them.
    pub lines: usize,
    /// Lines of which only the branches are excluded.
    pub branch_lines: usize,
    /// The files of these lines.
    pub files: usize,
}

impl LeftOut {
    /// Returns the counts, with each place counted once.
    pub fn counts(&self) -> LeftOutCounts {
        let Lines { whole, branches } = &*self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let files: BTreeSet<&str> = whole.iter().chain(branches).map(|(path, _)| &**path).collect();
        LeftOutCounts { lines: whole.len(), branch_lines: branches.len(), files: files.len() }
    }

    /// Adds a line of a file, or only its branches.
    pub(crate) fn add(&self, path: &str, line: u32, is_whole: bool) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (path.to_owned(), line);
        if is_whole {
            lines.whole.insert(place)
        } else {
            lines.branches.insert(place)
        };
    }
}
