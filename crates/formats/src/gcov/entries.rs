//! Maps blocks and arcs to lines and branches, by gcov's rules.
//!
//! - A block is mentioned by the lines it is made of, and owned by the last of them in each place
//!   that it is made of; where a place has no lines, once more by the last of the places before it.
//!   The first and the last block of a function are owned by none.
//! - A line that owns blocks ran if one of those ran; another if a block that mentions it ran.
//! - The branches of a line are the arcs out of the blocks that it owns, by destination, without
//!   fake ones and without the only way out of a block.
//! - Functions that start on the same line of a file (instances of a template) have separate lines;
//!   all others share those of the file. Artificial functions, and functions that are not in the
//!   program, are left out.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::{Flow, Variable};
use super::notes::{Function, Notes};

/// A line of a file, or of one function instance.
pub(super) struct Entry {
    pub(super) source: usize,
    pub(super) line: u32,
    /// The function that the line is attributed to.
    pub(super) function: Option<usize>,
    /// The blocks that mention it, those that it owns, and its branches.
    mentions: Vec<Part>,
    owned: Vec<Part>,
    branches: Vec<Part>,
}

/// An arc or a block of a function.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) function: usize,
    pub(super) variable: Variable,
}

/// All lines of a translation unit, by source and line.
pub(super) fn entries(notes: &Notes) -> Vec<Entry> {
    let grouped = grouped(notes);
    let mut entries: BTreeMap<(usize, u32, Option<usize>), Entry> = BTreeMap::new();
    for (number, function) in notes.functions.iter().enumerate().filter(|(_, f)| !f.artificial) {
        let branches = branches(function);
        let last = function.blocks.len().wrapping_sub(1);
        for (block, places) in function.blocks.iter().map(|block| &block.places).enumerate() {
            let part = Part { function: number, variable: Flow::block(function.arcs.len(), block) };
            let mut owner = None;
            for (source, lines) in places {
                let of_group = |line: u32| {
                    let within = (function.first_line..=function.last_line).contains(&line);
                    let own = grouped.contains(&number) && *source == function.source && within;
                    own.then_some(number)
                };
                for line in lines {
                    let key = (*source, *line, of_group(*line));
                    entries.entry(key).or_insert_with(|| Entry::new(key)).mentions.push(part);
                    owner = Some(key);
                }
                let owner = owner.filter(|_| block != 0 && block != last);
                if let Some(entry) = owner.and_then(|owner| entries.get_mut(&owner)) {
                    entry.owned.push(part);
                    let arcs = branches[block].iter().map(|arc| Part { variable: *arc, ..part });
                    entry.branches.extend(arcs);
                }
            }
        }
    }
    let mut entries: Vec<Entry> = entries.into_values().collect();
    name(&mut entries, notes, &grouped);
    entries
}

impl Entry {
    fn new((source, line, function): (usize, u32, Option<usize>)) -> Self {
        let (mentions, owned, branches) = (Vec::new(), Vec::new(), Vec::new());
        Entry { source, line, function, mentions, owned, branches }
    }

    /// The arcs and blocks that make the line run, and its branches, if only some functions are in
    /// the program. None if the line is in none of them.
    pub(super) fn among(&self, present: &[bool]) -> Option<(Vec<Part>, Vec<Part>)> {
        let of = |parts: &[Part]| -> Vec<Part> {
            parts.iter().copied().filter(|part| present[part.function]).collect()
        };
        let (mentions, owned) = (of(&self.mentions), of(&self.owned));
        let makes_it_run = if owned.is_empty() { mentions } else { owned };
        (!makes_it_run.is_empty()).then(|| (makes_it_run, of(&self.branches)))
    }
}

/// Attributes a line outside of groups to the innermost function around it.
fn name(entries: &mut [Entry], notes: &Notes, grouped: &BTreeSet<usize>) {
    let starts: BTreeMap<(usize, u32), usize> = (notes.functions.iter().enumerate())
        .filter(|(number, function)| !function.artificial && !grouped.contains(number))
        .map(|(number, function)| ((function.source, function.first_line), number))
        .collect();
    for entry in entries.iter_mut().filter(|entry| entry.function.is_none()) {
        let above = starts.range((entry.source, 0)..=(entry.source, entry.line)).rev();
        let mut around =
            above.filter(|(_, number)| notes.functions[**number].last_line >= entry.line);
        entry.function = around.next().map(|(_, number)| *number);
    }
}

/// The functions that start on the same line as another.
fn grouped(notes: &Notes) -> BTreeSet<usize> {
    let mut starts: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
    for (number, function) in notes.functions.iter().enumerate().filter(|(_, f)| !f.artificial) {
        starts.entry((function.source, function.first_line)).or_default().push(number);
    }
    starts.into_values().filter(|functions| functions.len() > 1).flatten().collect()
}

/// The arcs out of each block that are branches, by destination.
fn branches(function: &Function) -> Vec<Vec<Variable>> {
    let mut branches: Vec<Vec<Variable>> = vec![Vec::new(); function.blocks.len()];
    for (number, arc) in (0..).zip(&function.arcs).filter(|(_, arc)| !arc.fake) {
        branches[arc.source as usize].push(number);
    }
    for arcs in &mut branches {
        if arcs.len() == 1 {
            arcs.clear();
        }
        arcs.sort_by_key(|arc| function.arcs[*arc as usize].destination);
    }
    branches
}
