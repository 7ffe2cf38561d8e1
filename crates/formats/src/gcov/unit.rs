//! A translation unit: its notes, and its solved flow graphs.

use std::collections::BTreeMap;

use super::entries::{Entry, entries};
use super::flow::Flow;
use super::notes::{FunctionKey, Notes};
use crate::{Fault, Location};

/// A translation unit, from its notes.
pub(super) struct Unit {
    pub(super) notes: Notes,
    pub(super) flows: Vec<Flow>,
    pub(super) entries: Vec<Entry>,
    numbers: BTreeMap<FunctionKey, usize>,
    /// The number of each function's first counter, if all functions are in the program.
    pub(super) starts: Vec<usize>,
}

impl Unit {
    /// Reads a unit from its notes. Functions that are not wanted have no graph, no counters and
    /// no lines.
    pub(super) fn read(
        bytes: &[u8],
        is_wanted: impl Fn(FunctionKey) -> bool,
    ) -> Result<Self, Fault> {
        let notes = Notes::read(bytes, is_wanted)?;
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
        Ok(Unit { notes, flows, entries, numbers, starts })
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
}
