//! How well a ranking locates bugs whose fixes are known.

use metacov_core::{Functions, SiteTable};

use super::Ranking;
use crate::corpus::FixLines;
use crate::overlap::FileFix;

/// The position of a fix in a ranking: the mean rank of the first of its functions and lines. None
/// if the violating pair did not run it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// The first function that it changes.
    pub function: Option<f64>,
    /// The first line that it changes.
    pub line: Option<f64>,
}

/// Finds a fix in a ranking.
pub fn found(
    ranking: &Ranking,
    table: &SiteTable,
    functions: &Functions,
    fix: &[FileFix],
) -> Found {
    let is_changed = |file: &str, first: u32, last: u32| {
        let mut lines = fix.iter().filter(|fix| fix.path == file).flat_map(|fix| &fix.lines);
        lines.any(|FixLines { lines: [start, end], .. }| first <= *end && *start <= last)
    };
    let line = ranking.lines.iter().find(|line| is_changed(&line.file, line.line, line.line));
    let function = ranking.functions.iter().find(|suspect| {
        let key = functions.keys[suspect.place];
        let end = functions.ends[suspect.place].unwrap_or(key.line);
        is_changed(table.path(key.file), key.line, end)
    });
    Found { function: function.map(|suspect| suspect.rank), line: line.map(|suspect| suspect.rank) }
}

/// How many fixes are among the first functions and lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// How many bugs there are.
    pub bugs: usize,
    /// In the first 1, 3, 5 and 10 functions.
    pub functions: [usize; 4],
    /// In the first 10, 20 and 50 lines.
    pub lines: [usize; 3],
}

impl Shares {
    /// How many of the first functions are considered.
    pub const FUNCTIONS: [f64; 4] = [1.0, 3.0, 5.0, 10.0];
    /// How many of the first lines are considered.
    pub const LINES: [f64; 3] = [10.0, 20.0, 50.0];
}

/// Counts the fixes.
pub fn shares(all: &[Found]) -> Shares {
    let within = |rank: Option<f64>, most: f64| rank.is_some_and(|rank| rank <= most);
    let functions = |most| all.iter().filter(|found| within(found.function, most)).count();
    let lines = |most| all.iter().filter(|found| within(found.line, most)).count();
    Shares {
        bugs: all.len(),
        functions: Shares::FUNCTIONS.map(functions),
        lines: Shares::LINES.map(lines),
    }
}
