//! A translation unit, compiled: everything that reading counters needs of its notes.
//!
//! It has only the functions that are in the program, which in C++ are few: most notes list every
//! inline function and template that the unit uses, and the linker keeps one copy of each. Nothing
//! here depends on a site table or on which code counts, so that all workers share it
//! (`shared_notes`) and it can be stored (`notes_cache`). The notes themselves are no longer needed.

mod codec;

use std::collections::BTreeMap;

use super::entries::Part;
use super::flow::Flow;
use super::notes::FIRST_BLOCK;
use super::tape::{Operation, Slot, Tape};
use super::unit::Unit;

/// The functions of a translation unit that are in the program, and the sites that they have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CompiledUnit {
    /// The folder that it was compiled in.
    pub(super) folder: String,
    /// The paths of its sources, each with the number of its records.
    pub(super) sources: Vec<(String, u32)>,
    /// Names of functions, in the program or not. The first one is empty: no function.
    pub(super) names: Vec<String>,
    pub(super) functions: Vec<CompiledFunction>,
    /// The operations of all functions, and the slots that must not be negative.
    pub(super) operations: Vec<Operation>,
    pub(super) sound: Vec<Slot>,
    /// The sites, source by source.
    pub(super) records: Vec<CompiledRecord>,
    /// What makes the sites run, record by record: the number of a function, and one of its slots.
    pub(super) parts: Vec<(u32, Slot)>,
}

/// A function, and how many counters, operations and slots that must not be negative it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CompiledFunction {
    /// The number of its name.
    pub(super) name: u32,
    pub(super) last_line: u32,
    pub(super) lineno_checksum: u32,
    pub(super) cfg_checksum: u32,
    pub(super) counters: u32,
    pub(super) operations: u32,
    pub(super) sound: u32,
}

/// A site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CompiledRecord {
    pub(super) line: u32,
    /// The number of the name of the function that it belongs to.
    pub(super) name: u32,
    pub(super) kind: RecordKind,
    /// How many parts it has.
    pub(super) parts: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    Line,
    /// The branch at this position of its line.
    Branch(u32),
    /// The function of its only part.
    Function,
    /// The block of this number.
    Block(u32),
}

impl CompiledUnit {
    /// Compiles these functions of a unit, and their blocks too if these are sites.
    pub(super) fn of(unit: &Unit, functions: &[usize], has_blocks: bool) -> Self {
        let mut compiler = Compiler {
            unit,
            present: vec![false; unit.notes.functions.len()],
            numbers: vec![0; unit.notes.functions.len()],
            tapes: Vec::with_capacity(functions.len()),
            names: BTreeMap::new(),
            compiled: CompiledUnit {
                folder: unit.notes.folder.clone(),
                names: vec![String::new()],
                ..CompiledUnit::default()
            },
        };
        for number in functions {
            compiler.add_function(*number);
        }
        compiler.add_sources(has_blocks);
        compiler.compiled
    }

    /// How many slots the largest of its functions needs.
    pub(super) fn slots(&self) -> usize {
        self.functions.iter().map(CompiledFunction::slots).max().unwrap_or(0)
    }
}

impl CompiledFunction {
    /// How many slots there are while it is solved.
    pub(super) fn slots(&self) -> usize {
        1 + self.counters as usize + self.operations as usize
    }
}

struct Compiler<'u> {
    unit: &'u Unit,
    /// By function of the unit: whether it is in the program, and its number among those that are.
    present: Vec<bool>,
    numbers: Vec<u32>,
    tapes: Vec<Tape>,
    /// The numbers of the names of the unit's functions.
    names: BTreeMap<usize, u32>,
    compiled: CompiledUnit,
}

impl Compiler<'_> {
    fn add_function(&mut self, number: usize) {
        let (function, flow) = (&self.unit.notes.functions[number], &self.unit.flows[number]);
        let tape = Tape::of(flow);
        let mut sound: Vec<Slot> = function.sound().map(|variable| tape.slot(variable)).collect();
        sound.sort_unstable();
        sound.dedup();
        let compiled = CompiledFunction {
            name: self.name(Some(number)),
            last_line: function.last_line,
            lineno_checksum: function.key.lineno_checksum,
            cfg_checksum: function.key.cfg_checksum,
            counters: count(flow.counter_count()),
            operations: count(tape.operations.len()),
            sound: count(sound.len()),
        };
        self.present[number] = true;
        self.numbers[number] = count(self.compiled.functions.len());
        self.compiled.functions.push(compiled);
        self.compiled.operations.extend_from_slice(&tape.operations);
        self.compiled.sound.append(&mut sound);
        self.tapes.push(tape);
    }

    fn add_sources(&mut self, has_blocks: bool) {
        let unit = self.unit;
        let mut by_source = vec![Vec::new(); unit.notes.sources.len()];
        for (number, function) in unit.notes.functions.iter().enumerate() {
            if !function.artificial && self.present[number] {
                by_source[function.source].push(number);
            }
        }
        let mut entries = unit.entries.iter().peekable();
        for (source, (path, functions)) in unit.notes.sources.iter().zip(by_source).enumerate() {
            let first = self.compiled.records.len();
            while let Some(entry) = entries.next_if(|entry| entry.source == source) {
                let Some((makes_it_run, branches)) = entry.among(&self.present) else { continue };
                let name = self.name(entry.function);
                self.add(entry.line, name, RecordKind::Line, &makes_it_run);
                for (position, part) in (0..).zip(branches) {
                    self.add(entry.line, name, RecordKind::Branch(position), &[part]);
                }
            }
            for function in &functions {
                let (variable, line) = (self.block(*function, 0), self.first_line(*function));
                let (name, part) =
                    (self.name(Some(*function)), Part { function: *function, variable });
                self.add(line, name, RecordKind::Function, &[part]);
            }
            for function in functions.iter().filter(|_| has_blocks) {
                self.add_blocks(*function);
            }
            let records = count(self.compiled.records.len() - first);
            self.compiled.sources.push((path.clone(), records));
        }
    }

    fn add_blocks(&mut self, number: usize) {
        let function = &self.unit.notes.functions[number];
        let name = self.name(Some(number));
        for (block, what) in (0..).zip(&function.blocks).skip(FIRST_BLOCK) {
            let part = Part { function: number, variable: self.block(number, block as usize) };
            self.add(what.line_in(function), name, RecordKind::Block(block), &[part]);
        }
    }

    fn add(&mut self, line: u32, name: u32, kind: RecordKind, parts: &[Part]) {
        self.compiled.records.push(CompiledRecord { line, name, kind, parts: count(parts.len()) });
        self.compiled.parts.extend(parts.iter().map(|part| {
            let number = self.numbers[part.function];
            (number, self.tapes[number as usize].slot(part.variable))
        }));
    }

    fn block(&self, function: usize, block: usize) -> u32 {
        Flow::block(self.unit.notes.functions[function].arcs.len(), block)
    }

    fn first_line(&self, function: usize) -> u32 {
        self.unit.notes.functions[function].first_line
    }

    /// The number of a function's name.
    fn name(&mut self, function: Option<usize>) -> u32 {
        let Some(function) = function else { return 0 };
        let names = &mut self.compiled.names;
        *self.names.entry(function).or_insert_with(|| {
            names.push(self.unit.notes.functions[function].name.clone());
            count(names.len() - 1)
        })
    }
}

/// Notes have fewer than 2^30 bytes, and so fewer of anything.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
