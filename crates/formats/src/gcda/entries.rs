//! From blocks and arcs to lines and branches, by gcov's own rules.
//!
//! - A block is mentioned by the lines it is made of, and owned by the last of them in each file;
//!   the first and the last block of a function are owned by none.
//! - A line that owns blocks ran if one of those ran; another if a block that mentions it ran.
//! - The branches of a line are the arcs out of the blocks that it owns, by destination, without
//!   fake ones and without the only way out of a block.
//! - Functions that start on the same line of a file (instances of a template) have lines of their
//!   own; all others share those of the file. What the compiler made up is left out.

use std::collections::{BTreeMap, BTreeSet};

use metacov_core::{BranchKey, Symbol};

use super::flow::{Counts, Flow};
use super::notes::{Function, Notes};
use crate::{Record, Recorder};

/// A translation unit, made ready for any number of counters.
pub(super) struct Unit {
    pub(super) notes: Notes,
    pub(super) flows: Vec<Flow>,
    entries: Vec<Entry>,
}

/// A line of a file, or a function instance's share of it.
struct Entry {
    source: usize,
    line: u32,
    /// The function that the line is said to belong to.
    function: Option<usize>,
    mentions: Vec<(usize, usize)>,
    owned: Vec<(usize, usize)>,
    branches: Vec<(usize, usize)>,
}

impl Unit {
    pub(super) fn of(notes: Notes) -> Self {
        let flows: Vec<Flow> = notes.functions.iter().map(Flow::of).collect();
        let grouped = grouped(&notes);
        let mut entries: BTreeMap<(usize, u32, Option<usize>), Entry> = BTreeMap::new();
        for (number, function) in notes.functions.iter().enumerate().filter(|(_, f)| !f.artificial)
        {
            let branches = branches(function);
            let last = function.blocks.len().wrapping_sub(1);
            for (block, places) in function.blocks.iter().map(|block| &block.places).enumerate() {
                for (source, lines) in places {
                    let of_group = |line: u32| {
                        let within = (function.first_line..=function.last_line).contains(&line);
                        let own = grouped.contains(&number) && *source == function.source && within;
                        own.then_some(number)
                    };
                    for line in lines {
                        let key = (*source, *line, of_group(*line));
                        let entry = entries.entry(key).or_insert_with(|| Entry::new(key));
                        entry.mentions.push((number, block));
                    }
                    let Some(line) = lines.last().filter(|_| block != 0 && block != last) else {
                        continue;
                    };
                    let key = (*source, *line, of_group(*line));
                    if let Some(entry) = entries.get_mut(&key) {
                        entry.owned.push((number, block));
                        entry.branches.extend(branches[block].iter().map(|arc| (number, *arc)));
                    }
                }
            }
        }
        let entries = entries.into_values().collect();
        let mut unit = Unit { notes, flows, entries };
        unit.name_entries(&grouped);
        unit
    }

    /// A line outside of groups belongs to the innermost function around it.
    fn name_entries(&mut self, grouped: &BTreeSet<usize>) {
        let starts: BTreeMap<(usize, u32), usize> = (self.notes.functions.iter().enumerate())
            .filter(|(number, function)| !function.artificial && !grouped.contains(number))
            .map(|(number, function)| ((function.source, function.first_line), number))
            .collect();
        for entry in self.entries.iter_mut().filter(|entry| entry.function.is_none()) {
            let above = starts.range((entry.source, 0)..=(entry.source, entry.line)).rev();
            let mut around =
                above.filter(|(_, number)| self.notes.functions[**number].last_line >= entry.line);
            entry.function = around.next().map(|(_, number)| *number);
        }
    }

    /// Hands all lines, branches and functions to the recorder. `counts` are by function; none of
    /// a function that is not in the program, no numbers of one that never ran.
    pub(super) fn record(
        &self,
        counts: &[Option<Counts>],
        recorder: &mut Recorder<'_>,
    ) -> Result<(), String> {
        let names: Vec<Symbol> =
            self.notes.functions.iter().map(|function| recorder.instance(&function.name)).collect();
        let ran = |function: usize, at: usize, of: fn(&Counts) -> &Vec<i64>| {
            let counts = counts.get(function)?.as_ref()?;
            Some(of(counts).get(at).is_some_and(|count| *count > 0))
        };
        for (source, path) in self.notes.sources.iter().enumerate() {
            let first = self.entries.partition_point(|entry| entry.source < source);
            let entries = self.entries[first..].iter().take_while(|entry| entry.source == source);
            for entry in entries {
                let blocks = |of: &[(usize, usize)]| {
                    of.iter().fold(None, |any: Option<bool>, (function, block)| {
                        any.max(ran(*function, *block, |counts| &counts.blocks))
                    })
                };
                let Some(mentioned) = blocks(&entry.mentions) else { continue };
                let instance = entry.function.map_or(Symbol::NONE, |function| names[function]);
                let line_ran = blocks(&entry.owned).unwrap_or(mentioned);
                recorder.add(Record::line(entry.line, line_ran).instance(instance));
                let present = entry
                    .branches
                    .iter()
                    .filter_map(|(function, arc)| ran(*function, *arc, |counts| &counts.arcs));
                for (position, branch_ran) in (0..).zip(present) {
                    let key = BranchKey::Position(position);
                    let record = Record::branch(entry.line, key, branch_ran);
                    recorder.add(record.instance(instance));
                }
            }
            self.record_functions(source, counts, recorder);
            recorder.end_file(path)?;
        }
        Ok(())
    }

    fn record_functions(
        &self,
        source: usize,
        counts: &[Option<Counts>],
        recorder: &mut Recorder<'_>,
    ) {
        for (function, counts) in self.notes.functions.iter().zip(counts) {
            let Some(counts) = counts.as_ref().filter(|_| !function.artificial) else { continue };
            if function.source == source {
                let name = recorder.symbol(&function.name);
                let ran = counts.blocks.first().is_some_and(|count| *count > 0);
                let record = Record::function(function.first_line, name, ran);
                let key = [function.key.lineno_checksum, function.key.cfg_checksum];
                let shape = key.map(u32::to_le_bytes).concat();
                recorder.add(record.ending(function.last_line).marked(&shape));
            }
        }
    }
}

impl Entry {
    fn new((source, line, function): (usize, u32, Option<usize>)) -> Self {
        let (mentions, owned, branches) = (Vec::new(), Vec::new(), Vec::new());
        Entry { source, line, function, mentions, owned, branches }
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

/// By block, the arcs out of it that are branches, by destination.
fn branches(function: &Function) -> Vec<Vec<usize>> {
    let mut branches: Vec<Vec<usize>> = vec![Vec::new(); function.blocks.len()];
    for (at, arc) in function.arcs.iter().enumerate().filter(|(_, arc)| !arc.fake) {
        branches[arc.source as usize].push(at);
    }
    for arcs in &mut branches {
        if arcs.len() == 1 {
            arcs.clear();
        }
        arcs.sort_by_key(|arc| function.arcs[*arc].destination);
    }
    branches
}
