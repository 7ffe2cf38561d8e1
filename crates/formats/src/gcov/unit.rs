//! A translation unit, compiled once for any number of executions.
//!
//! Nothing here depends on a site table, so that all workers of a fold share it (`shared_notes`).

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::entries::{Entry, entries};
use super::flow::Flow;
use super::image::{COUNTER_BYTES, Piece};
use super::notes::{FunctionKey, Notes};
use super::tape::Tape;
use crate::{Fault, Location};

/// A translation unit, from its notes.
pub(super) struct Unit {
    pub(super) notes: Notes,
    pub(super) flows: Vec<Flow>,
    pub(super) entries: Vec<Entry>,
    numbers: BTreeMap<FunctionKey, usize>,
    /// The number of each function's first counter, if all functions are in the program.
    pub(super) starts: Vec<usize>,
    /// By function. Compiled on first use, since listing code does not need them.
    tapes: OnceLock<Vec<Tape>>,
}

impl Unit {
    /// Reads a unit from its notes.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let notes = Notes::read(bytes)?;
        let flow = |function| {
            Flow::of(function).ok_or_else(|| {
                let what = format!("the flow graph of {} has no solution", function.name);
                Fault::malformed(Location::Whole, what)
            })
        };
        let flows: Vec<Flow> = notes.functions.iter().map(flow).collect::<Result<_, _>>()?;
        let starts = flows.iter().scan(0, |end, flow| {
            *end += flow.counter_count();
            Some(*end - flow.counter_count())
        });
        let starts = starts.collect();
        let numbered = notes.functions.iter().enumerate();
        let numbers = numbered.map(|(number, function)| (function.key, number)).collect();
        let entries = entries(&notes);
        Ok(Unit { notes, flows, entries, numbers, starts, tapes: OnceLock::new() })
    }

    /// The index of a function, which is most likely `expected`.
    pub(super) fn number(&self, key: FunctionKey, expected: usize) -> Option<usize> {
        match self.notes.functions.get(expected) {
            Some(function) if function.key == key => Some(expected),
            _ => self.numbers.get(&key).copied(),
        }
    }

    /// How many counters it has, if all its functions are in the program.
    pub(super) fn counter_count(&self) -> usize {
        self.flows.iter().map(Flow::counter_count).sum()
    }

    /// The tape of a function.
    pub(super) fn tape(&self, number: usize) -> &Tape {
        &self.tapes.get_or_init(|| self.flows.iter().map(Tape::of).collect())[number]
    }

    /// The functions that are in the program, with consecutive counters.
    pub(super) fn piece(self: &Arc<Self>, name: u32, present: &[bool]) -> Piece {
        let starts = self.starts.iter().map(|start| COUNTER_BYTES * start).enumerate();
        let functions = starts.filter(|(number, _)| present[*number]).collect();
        Piece { unit: self.clone(), name, functions }
    }
}
