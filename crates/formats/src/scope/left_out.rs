//! Counts what markers in the sources exclude, to report it to users.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Sum;
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

impl LeftOutCounts {
    /// Those of a file without excluded lines.
    pub const OF_FILE: Self = LeftOutCounts { lines: 0, branch_lines: 0, files: 1 };
}

impl<'c> Sum<&'c LeftOutCounts> for LeftOutCounts {
    fn sum<I: Iterator<Item = &'c LeftOutCounts>>(counts: I) -> Self {
        counts.fold(LeftOutCounts::default(), |sum, of| LeftOutCounts {
            lines: sum.lines + of.lines,
            branch_lines: sum.branch_lines + of.branch_lines,
            files: sum.files + of.files,
        })
    }
}

impl LeftOut {
    /// Returns the counts of each file by path, with each place counted once.
    pub fn by_file(&self) -> BTreeMap<String, LeftOutCounts> {
        let Lines { whole, branches } = &*self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files = BTreeMap::<String, LeftOutCounts>::new();
        for (path, _) in whole {
            files.entry(path.clone()).or_insert(LeftOutCounts::OF_FILE).lines += 1;
        }
        for (path, _) in branches {
            files.entry(path.clone()).or_insert(LeftOutCounts::OF_FILE).branch_lines += 1;
        }
        files
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
