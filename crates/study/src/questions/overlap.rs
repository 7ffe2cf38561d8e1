//! Whether the MC sites of pairs overlap with a fix: the paper's first question (section "Q.1
//! Effectiveness", "Bug fix overlap").
//!
//! The paper shows what it counts in two examples, and does not say how it treats a fix that only
//! inserts lines, which do not exist in the version with the bug. So there are three counts, from
//! strict to generous, each with the probability that an overlap is chance. That depends on what
//! would be drawn at random, so there are three probabilities too.

mod fix;

use std::collections::BTreeSet;

use metacov_core::{Cover, Criterion, FileId, Functions, Site, SiteTable};
use serde::{Deserialize, Serialize};

use crate::corpus::{Change, FixLines};
pub use fix::{FileFix, parse};

/// A count of lines, and the probability of a hit by chance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hits {
    /// How many lines of the fix ran.
    pub executed: u32,
    /// How many of them are in the difference.
    pub differing: u32,
    /// The probability that a random set of as many executed lines as the difference has contains
    /// at least one of them.
    pub chance: f64,
    /// The same, if lines are drawn only from the files of the fix, as many as the difference has
    /// there. Missing in older files of studies, like the next one.
    #[serde(default)]
    pub chance_in_files: Option<f64>,
    /// The share of places among all executed lines, in their order, at which the executed lines of
    /// the fix would overlap if they were moved there together. Unlike random lines, they stay as
    /// close to each other as they are.
    #[serde(default)]
    pub chance_shifted: Option<f64>,
}

/// The overlap of a difference with a fix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overlap {
    /// With the lines that the fix changed or removed.
    pub strict: Hits,
    /// With those, and the two lines around each pure insertion.
    pub context: Hits,
    /// With any line of the functions that it changed.
    pub function: Hits,
}

/// Compares a fix, by file, with the executed and the differing sites of pairs.
pub fn overlap(
    table: &SiteTable,
    functions: &Functions,
    fix: &[(FileId, &[FixLines])],
    executed: &Cover,
    difference: &Cover,
) -> Overlap {
    let of_file = |file: FileId| {
        let same = fix.iter().filter(move |(changed, _)| *changed == file);
        same.flat_map(|(_, lines)| lines.iter())
    };
    let is_within = |site: &Site, kinds: &[Change]| {
        of_file(site.file).any(|FixLines { kind, lines: [first, last] }| {
            kinds.contains(kind) && (*first..=*last).contains(&site.line)
        })
    };
    let changed: BTreeSet<usize> = functions
        .keys
        .iter()
        .enumerate()
        .filter(|(place, key)| {
            let last = functions.ends[*place].unwrap_or(key.line);
            let is_touched = |FixLines { lines: [start, end], .. }: &FixLines| {
                key.line <= *end && *start <= last
            };
            key.line > 0 && of_file(key.file).any(is_touched)
        })
        .map(|(place, _)| place)
        .collect();
    let mut lines: Vec<ExecutedLine> = Vec::new();
    for (id, site) in table.sites().filter(|(_, site)| site.criterion() == Criterion::Line) {
        if executed.contains(id) {
            lines.push(ExecutedLine {
                place: (table.path(site.file), site.line),
                differs: difference.contains(id),
                is_in_file: fix.iter().any(|(changed, _)| *changed == site.file),
                is_in: [
                    is_within(site, &[Change::Modified]),
                    is_within(site, &[Change::Modified, Change::InsertionContext]),
                    functions.place(id).is_some_and(|place| changed.contains(&place)),
                ],
            });
        }
    }
    lines.sort_by_key(|line| line.place);
    let [strict, context, function] = [0, 1, 2].map(|kind| hits(&lines, kind));
    Overlap { strict, context, function }
}

/// A line that ran.
struct ExecutedLine<'t> {
    /// Its file and number.
    place: (&'t str, u32),
    differs: bool,
    /// Whether its file is one of the fix.
    is_in_file: bool,
    /// Whether it belongs to the fix, in three ways.
    is_in: [bool; 3],
}

/// Counts the lines of a fix, in one of the three ways.
fn hits(lines: &[ExecutedLine<'_>], kind: usize) -> Hits {
    let count = |is: &dyn Fn(&ExecutedLine<'_>) -> bool| {
        u32::try_from(lines.iter().filter(|line| is(line)).count()).unwrap_or(u32::MAX)
    };
    let executed = count(&|line| line.is_in[kind]);
    let in_program = [count(&|_| true), count(&|line| line.differs)];
    let in_files = [count(&|line| line.is_in_file), count(&|line| line.is_in_file && line.differs)];
    Hits {
        executed,
        differing: count(&|line| line.is_in[kind] && line.differs),
        chance: chance(in_program, executed),
        chance_in_files: Some(chance(in_files, executed)),
        chance_shifted: Some(shifted(lines, kind)),
    }
}

/// The share of places to which the lines of a fix can be moved together such that one of them
/// differs. After the last line comes the first.
#[expect(clippy::cast_precision_loss, reason = "programs have fewer lines")]
fn shifted(lines: &[ExecutedLine<'_>], kind: usize) -> f64 {
    let marked: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].is_in[kind]).collect();
    let hits = |by: usize| marked.iter().any(|at| lines[(at + by) % lines.len()].differs);
    let hit = (0..lines.len()).filter(|by| hits(*by)).count();
    if lines.is_empty() { 0.0 } else { hit as f64 / lines.len() as f64 }
}

/// The probability that at least one of `marked` among `all` is in a draw of `drawn`: one minus the
/// probability that none of them is drawn.
fn chance([all, drawn]: [u32; 2], marked: u32) -> f64 {
    let left_behind = |at: u32| {
        let rest = all - at;
        f64::from(rest.saturating_sub(drawn)) / f64::from(rest)
    };
    1.0 - (0..marked.min(all)).map(left_behind).product::<f64>()
}

#[cfg(test)]
mod tests {
    use metacov_core::{Element, Symbol};

    use super::*;

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    #[test]
    fn chance_is_that_of_drawing_without_replacement() {
        assert!(close(chance([10, 5], 0), 0.0));
        assert!(close(chance([10, 0], 3), 0.0));
        assert!(close(chance([10, 3], 1), 0.3));
        // Of 4 lines, 2 are marked and 2 drawn: only one of the six draws contains neither.
        assert!(close(chance([4, 2], 2), 5.0 / 6.0));
        assert!(close(chance([4, 4], 1), 1.0));
        assert!(close(chance([0, 0], 0), 0.0));
    }

    #[test]
    fn lines_context_and_functions_are_counted_separately() {
        let mut table = SiteTable::new();
        let (file, instance) = (table.file("a.c"), Symbol::NONE);
        for (name, line, end) in [("first", 1, 5), ("second", 6, 10)] {
            let element = Element::Function(table.symbol(name));
            let id = table.site(Site { file, line, element, instance });
            table.set_end(id, end);
        }
        let (mut executed, mut difference) = (Cover::of(&table), Cover::of(&table));
        for line in 1..=10 {
            let id = table.site(Site { file, line, element: Element::Line, instance });
            if line != 2 {
                executed.insert(id);
            }
            if [4, 5, 7].contains(&line) {
                difference.insert(id);
            }
        }
        let fix = [
            FixLines { kind: Change::Modified, lines: [2, 3] },
            FixLines { kind: Change::InsertionContext, lines: [4, 5] },
        ];
        let functions = Functions::of(&table);
        let found = overlap(&table, &functions, &[(file, &fix[..])], &executed, &difference);
        let counts = |hits: Hits| (hits.executed, hits.differing);
        assert_eq!(counts(found.strict), (1, 0), "line 2 did not run, line 3 does not differ");
        assert_eq!(counts(found.context), (3, 2));
        assert_eq!(counts(found.function), (4, 2), "line 7 is in another function");
        assert!(close(found.strict.chance, 3.0 / 9.0));
    }

    #[test]
    fn chance_depends_on_the_files_and_on_how_close_lines_are() {
        let mut table = SiteTable::new();
        let (a, b, instance) = (table.file("a.c"), table.file("b.c"), Symbol::NONE);
        let (mut executed, mut difference) = (Cover::of(&table), Cover::of(&table));
        for (file, lines) in [(b, 1..=4), (a, 1..=6)] {
            for line in lines {
                let id = table.site(Site { file, line, element: Element::Line, instance });
                executed.insert(id);
                if file == b && line > 2 {
                    difference.insert(id);
                }
            }
        }
        let fix = [FixLines { kind: Change::Modified, lines: [1, 2] }];
        let functions = Functions::of(&table);
        let found = overlap(&table, &functions, &[(b, &fix[..])], &executed, &difference).strict;
        assert_eq!((found.executed, found.differing), (2, 0));
        // Of ten lines two differ: 1 - 8/10 * 7/9.
        assert!(close(found.chance, 17.0 / 45.0));
        // Of four lines two differ: 1 - 2/4 * 1/3.
        assert!(close(found.chance_in_files.unwrap(), 5.0 / 6.0));
        // Two neighbours, of which one is the ninth or the tenth line, at three of ten places.
        assert!(close(found.chance_shifted.unwrap(), 0.3));
    }
}
