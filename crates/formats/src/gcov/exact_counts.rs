//! Every count that `gcov --json-format --branch-probabilities` reports, except those of lines, of
//! which only whether they ran is kept.
//!
//! Comparing two runs needs no counts. Tests use them to check that counters are solved as gcov
//! solves them, number by number. They are available with the feature `exact-counts` only, so that
//! users do not pay for them.

use std::collections::BTreeMap;
use std::num::Wrapping;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::counters::Counters;
use super::entries::Part;
use super::flow::Flow;
use super::image::COUNTER_BYTES;
use super::notes::{ENTRY, Function};
use super::notes_index::NotesIndex;
use super::snapshot::{Listing, Snapshot, listings};
use super::unit::Unit;
use crate::{CoverageFile, Error, Fault, Scope};

/// A translation unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitCounts {
    /// The file of its counters (`.gcda`), or the one that they would be written to.
    pub data: PathBuf,
    /// Its source files, in the order of their first use.
    pub files: Vec<FileCounts>,
}

/// A source file of a translation unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCounts {
    /// The path that the compiler was given.
    pub path: String,
    /// Its lines, ascending. Each instance of a template has separate lines.
    pub lines: Vec<LineCounts>,
    /// The functions that start in it.
    pub functions: Vec<FunctionCounts>,
}

/// A line, or a function instance's share of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCounts {
    /// Its number.
    pub line: u32,
    /// The function around it, as the linker knows it.
    pub function: Option<String>,
    /// Whether it ran.
    pub ran: bool,
    /// Its branches, in the order of gcov.
    pub branches: Vec<BranchCount>,
}

/// A branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BranchCount {
    /// How often it was taken.
    pub count: u64,
    /// Whether it is taken by falling through, not by a jump.
    pub falls_through: bool,
    /// Whether it leads to an exception handler.
    pub throws: bool,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCounts {
    /// Its name, as the linker knows it.
    pub name: String,
    /// The line that it starts on.
    pub first_line: u32,
    /// The line that it ends on.
    pub last_line: u32,
    /// How often it was called.
    pub count: u64,
    /// How many blocks it has, without the entry and the exit block.
    pub blocks: u64,
    /// How many blocks ran, without the first and the last. gcov takes the last block for the exit
    /// block, which current gcc writes second.
    pub blocks_executed: u64,
}

/// Returns what gcov would report for the counters in a file.
pub(crate) fn tell_file(
    path: &Path,
    notes_index: &mut NotesIndex,
    scope: &Scope,
) -> Result<UnitCounts, Error> {
    let counts = CoverageFile::open(path).and_then(|mut input| {
        let (notes_unit, counters) = Counters::open(&mut input, notes_index, None, scope)?;
        let unit = &notes_unit.unit;
        let present = (0..unit.starts.len()).filter(|number| counters.present[*number]);
        let functions: Vec<_> =
            present.map(|number| (number, COUNTER_BYTES * unit.starts[number])).collect();
        tell(path, unit, &functions, &[&counters.bytes])
    });
    counts.map_err(|fault| fault.of(path.display().to_string()))
}

/// Returns what gcov would report for counters in memory. Counters with the same layout are summed.
pub(crate) fn tell_snapshots(
    snapshots: &[Snapshot<'_>],
    notes_index: &mut NotesIndex,
    scope: &Scope,
) -> Result<Vec<UnitCounts>, Error> {
    let mut by_layout: BTreeMap<&Arc<[u8]>, Vec<&[u8]>> = BTreeMap::new();
    for snapshot in snapshots {
        by_layout.entry(&snapshot.layout).or_default().push(snapshot.counters);
    }
    let mut units = Vec::new();
    for (layout, all) in by_layout {
        // A layout that fits the shortest counters fits all of them.
        let counters = all.iter().copied().min_by_key(|counters| counters.len());
        let layout = layout.clone();
        let shortest = Snapshot { layout, counters: counters.unwrap_or_default() };
        for listing in listings(&shortest.layout)? {
            let counts = tell_listing(&listing, shortest.counters.len(), &all, notes_index, scope);
            units.push(counts.map_err(|fault| fault.of(listing.path.display().to_string()))?);
        }
    }
    Ok(units)
}

fn tell_listing(
    listing: &Listing,
    counter_bytes: usize,
    counters: &[&[u8]],
    notes_index: &mut NotesIndex,
    scope: &Scope,
) -> Result<UnitCounts, Fault> {
    let (unit, _) = listing.unit(&notes_index.places(&listing.path, None, scope))?;
    let numbers = listing.numbers(&unit)?;
    let functions = numbers.iter().map(|number| {
        (unit.flows[*number].counter_count(), unit.notes.functions[*number].name.as_str())
    });
    let starts = listing.starts(functions, counter_bytes)?;
    let functions: Vec<_> = numbers.into_iter().zip(starts).collect();
    tell(&listing.path, &unit, &functions, counters)
}

/// Reports these functions of a unit, each with the offset of its counters, which are the sums of
/// `counters`.
fn tell(
    path: &Path,
    unit: &Unit,
    functions: &[(usize, usize)],
    counters: &[&[u8]],
) -> Result<UnitCounts, Fault> {
    let mut counts: Vec<Vec<u64>> = vec![Vec::new(); unit.notes.functions.len()];
    for (number, start) in functions {
        let function = &unit.notes.functions[*number];
        let solved = solve(&unit.flows[*number], *start, counters);
        if function.sound().any(|variable| solved[variable as usize] < 0) {
            return Err(Fault::Inconsistent { function: function.name.clone() });
        }
        counts[*number] = solved.into_iter().map(|count| count.max(0).cast_unsigned()).collect();
    }
    let present: Vec<bool> = counts.iter().map(|counts| !counts.is_empty()).collect();
    let mut files: Vec<FileCounts> =
        unit.notes.sources.iter().map(|path| FileCounts::new(path)).collect();
    for entry in &unit.entries {
        let Some((makes_it_run, branches)) = entry.among(&present) else { continue };
        let count = |part: &Part| counts[part.function][part.variable as usize];
        let name = |number: usize| unit.notes.functions[number].name.clone();
        let branch = |part: &Part| {
            let function = &unit.notes.functions[part.function];
            let arc = &function.arcs[part.variable as usize];
            BranchCount {
                count: count(part),
                falls_through: arc.falls_through,
                throws: !arc.falls_through && may_not_return(function, arc.source),
            }
        };
        files[entry.source].lines.push(LineCounts {
            line: entry.line,
            function: entry.function.map(name),
            ran: makes_it_run.iter().any(|part| count(part) > 0),
            branches: branches.iter().map(branch).collect(),
        });
    }
    for (function, counts) in unit.notes.functions.iter().zip(&counts) {
        if !function.artificial && !counts.is_empty() {
            files[function.source].functions.push(FunctionCounts::of(function, counts));
        }
    }
    files.retain(|file| !file.lines.is_empty() || !file.functions.is_empty());
    Ok(UnitCounts { data: path.to_owned(), files })
}

/// The counts of all arcs and blocks.
fn solve(flow: &Flow, start: usize, counters: &[&[u8]]) -> Vec<i64> {
    let bytes = COUNTER_BYTES * flow.counter_count();
    let mut sums = vec![Wrapping(0); flow.counter_count()];
    for counters in counters {
        let own = counters[start..start + bytes].as_chunks::<COUNTER_BYTES>().0;
        for (sum, counter) in sums.iter_mut().zip(own) {
            *sum += i64::from_le_bytes(*counter);
        }
    }
    flow.run(&sums).into_iter().map(|count| count.0).collect()
}

/// Whether a block ends in a call that may not return: its other outgoing arcs are taken by
/// exceptions.
fn may_not_return(function: &Function, block: u32) -> bool {
    let first = function.arcs.partition_point(|arc| arc.source < block);
    let mut out = function.arcs[first..].iter().take_while(|arc| arc.source == block);
    block != ENTRY && out.any(|arc| arc.fake)
}

impl FileCounts {
    fn new(path: &str) -> Self {
        FileCounts { path: path.to_owned(), lines: Vec::new(), functions: Vec::new() }
    }
}

impl FunctionCounts {
    fn of(function: &Function, counts: &[u64]) -> Self {
        let blocks = &counts[function.arcs.len()..];
        let between = blocks.get(1..blocks.len().saturating_sub(1)).unwrap_or_default();
        FunctionCounts {
            name: function.name.clone(),
            first_line: function.first_line,
            last_line: function.last_line,
            count: blocks.first().copied().unwrap_or_default(),
            blocks: blocks.len().saturating_sub(2) as u64,
            blocks_executed: between.iter().filter(|count| **count > 0).count() as u64,
        }
    }
}
