//! The counters of a program, prepared to be read many times.
//!
//! From one execution to the next most functions have the same counters, so the last counters are
//! kept with their results, and only functions whose counters have changed are solved again.
//! Initially all counters are zero and no site ran.

use std::collections::BTreeSet;
use std::ops::Range;

use metacov_core::{Cover, Reading, SiteId};

use super::compiled::CompiledUnit;
use super::projection::Projection;
use super::stencil::Stencils;
use super::tape::{self, Operation, Slot};
use crate::{Fault, Location, SiteRecorder};

/// How many bytes are compared at once. Functions have a hundred bytes of counters on average.
const SEGMENT_BYTES: usize = 512;

/// A counter has eight bytes, the low byte first.
pub(super) const COUNTER_BYTES: usize = 8;

/// The functions of a translation unit that are in the program, and where their counters are.
pub(super) struct Piece<'u> {
    pub(super) unit: &'u CompiledUnit,
    /// The hash of its name (see `unit_marks`).
    pub(super) name: u32,
    /// The offset of each function's counters.
    pub(super) starts: Vec<usize>,
}

/// Counters that are read together: those of a program, a library or a translation unit.
pub(super) struct Image {
    /// In the order of their counters.
    functions: Vec<Function>,
    /// The counters of each function, apart from the rest, which is rarely read.
    spans: Vec<Span>,
    segments: Vec<Segment>,
    operations: Vec<Operation>,
    /// The slots that must not be negative, function by function.
    sound: Vec<Slot>,
    stencils: Stencils,
    /// All sites, none of which ran.
    known: Reading,
    /// The counters that were read last.
    last: Vec<u8>,
    /// The functions whose last counters do not add up.
    inconsistent: BTreeSet<usize>,
    /// The counts of the function that is being solved, by slot, negated.
    counts: Vec<i64>,
}

struct Function {
    name: String,
    counters: Range<usize>,
    operations: Range<usize>,
    sound: Range<usize>,
}

/// A range of bytes.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
}

/// Functions with adjacent counters.
struct Segment {
    counters: Range<usize>,
    functions: Range<usize>,
    /// Whether the last counters are all zero, as they often are: they need not be compared then.
    is_zero: bool,
}

impl Image {
    /// Adds all sites of the pieces to the table.
    pub(super) fn of(pieces: &[Piece<'_>], recorder: &mut SiteRecorder<'_>) -> Result<Self, Fault> {
        let mut known = Reading::of(recorder.table);
        let mut compiled = Compiled::default();
        for piece in pieces {
            let projection = Projection::of(piece.unit, piece.name, recorder)?;
            known.unite(projection.reading());
            compiled.add(piece, projection);
        }
        compiled.order()?;
        let Compiled { functions, operations, sound, sites, slots } = compiled;
        Ok(Image {
            segments: segments(&functions),
            spans: functions.iter().map(|function| Span::of(&function.counters)).collect(),
            stencils: Stencils::of(recorder.table, sites),
            last: vec![0; functions.last().map_or(0, |function| function.counters.end)],
            inconsistent: BTreeSet::new(),
            counts: vec![0; slots],
            functions,
            operations,
            sound,
            known,
        })
    }

    /// The smallest size of the counters in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.last.len()
    }

    /// Reads counters, which must be at least that long.
    pub(super) fn update(&mut self, counters: &[u8]) {
        for segment in &mut self.segments {
            let new = &counters[segment.counters.clone()];
            if segment.is_zero && is_zero(new) {
                continue;
            }
            if *new == self.last[segment.counters.clone()] {
                continue;
            }
            for number in segment.functions.clone() {
                let span = self.spans[number].range();
                let new = &counters[span.clone()];
                if *new == self.last[span] {
                    continue;
                }
                let function = &self.functions[number];
                let adds_up = function.run(&self.operations, new, &mut self.counts)
                    || function.is_sound(&self.sound, &self.counts);
                if adds_up {
                    self.inconsistent.remove(&number);
                } else {
                    self.inconsistent.insert(number);
                }
                self.stencils.set(number, &self.counts);
            }
            self.last[segment.counters.clone()].copy_from_slice(new);
            segment.is_zero = is_zero(new);
        }
    }

    /// Sets counters to zero that have just been read. Most of them already are.
    pub(super) fn zero(&self, counters: &mut [u8]) {
        for segment in self.segments.iter().filter(|segment| !segment.is_zero) {
            counters[segment.counters.clone()].fill(0);
        }
    }

    /// Adds the counters of another process of the same program to those of the first.
    pub(super) fn add(&self, sums: &mut [u8], counters: &[u8]) {
        for function in &self.functions {
            let sums = sums[function.counters.clone()].as_chunks_mut::<COUNTER_BYTES>().0;
            let counters = counters[function.counters.clone()].as_chunks::<COUNTER_BYTES>().0;
            for (sum, counter) in sums.iter_mut().zip(counters) {
                *sum = i64::from_le_bytes(*sum)
                    .wrapping_add(i64::from_le_bytes(*counter))
                    .to_le_bytes();
            }
        }
    }

    /// Adds the result of the last counters to a reading.
    pub(super) fn tell(&self, reading: &mut Reading) {
        reading.unite(&self.known);
        reading.executed |= self.executed();
    }

    /// The sites that ran, by the last counters.
    pub(super) fn executed(&self) -> &Cover {
        self.stencils.executed()
    }

    /// Returns an error if the last counters do not add up.
    pub(super) fn check(&self) -> Result<(), Fault> {
        match self.inconsistent.first() {
            Some(number) => {
                Err(Fault::Inconsistent { function: self.functions[*number].name.clone() })
            }
            None => Ok(()),
        }
    }
}

impl Span {
    fn of(bytes: &Range<usize>) -> Self {
        let number = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Span { start: number(bytes.start), end: number(bytes.end) }
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Function {
    /// Writes all counts to `counts`. Returns whether they add up.
    fn run(&self, operations: &[Operation], counters: &[u8], counts: &mut [i64]) -> bool {
        let counters = counters.as_chunks::<COUNTER_BYTES>().0;
        let mut signs = 0;
        for (count, counter) in counts[1..].iter_mut().zip(counters) {
            let counter = i64::from_le_bytes(*counter);
            signs |= counter;
            *count = counter.wrapping_neg();
        }
        tape::run(&operations[self.operations.clone()], counts, 1 + counters.len()) && signs >= 0
    }

    /// Whether no real arc or block has a negative count, for counts some of which are negative.
    fn is_sound(&self, sound: &[Slot], counts: &[i64]) -> bool {
        sound[self.sound.clone()].iter().all(|slot| counts[*slot as usize] <= 0)
    }
}

/// Functions while they are being collected.
#[derive(Default)]
struct Compiled {
    functions: Vec<Function>,
    operations: Vec<Operation>,
    sound: Vec<Slot>,
    sites: Vec<Vec<(SiteId, Slot)>>,
    /// As many as the largest function needs.
    slots: usize,
}

impl Compiled {
    fn add(&mut self, piece: &Piece<'_>, projection: Projection) {
        let unit = piece.unit;
        let (mut operations, mut sound) = (self.operations.len(), self.sound.len());
        for (function, start) in unit.functions.iter().zip(&piece.starts) {
            let counters = *start..start + COUNTER_BYTES * function.counters as usize;
            let operations = take(&mut operations, function.operations);
            let sound = take(&mut sound, function.sound);
            let name = unit.names[function.name as usize].clone();
            self.functions.push(Function { name, counters, operations, sound });
        }
        self.operations.extend_from_slice(&unit.operations);
        self.sound.extend_from_slice(&unit.sound);
        self.sites.extend(projection.into_sites());
        self.slots = self.slots.max(unit.slots());
    }

    /// Orders functions by their counters, which must not overlap.
    fn order(&mut self) -> Result<(), Fault> {
        let mut order: Vec<usize> = (0..self.functions.len()).collect();
        order.sort_by_key(|number| self.functions[*number].counters.start);
        if !order.is_sorted() {
            let mut functions: Vec<_> = self.functions.drain(..).map(Some).collect();
            let mut sites = std::mem::take(&mut self.sites);
            self.functions.extend(order.iter().filter_map(|number| functions[*number].take()));
            self.sites.extend(order.iter().map(|number| std::mem::take(&mut sites[*number])));
        }
        let mut neighbours = self.functions.windows(2);
        match neighbours.find(|pair| pair[0].counters.end > pair[1].counters.start) {
            Some(pair) => {
                let name = &pair[1].name;
                let what = format!("the counters of {name} are those of another function too");
                Err(Fault::malformed(Location::Whole, what))
            }
            None => Ok(()),
        }
    }
}

/// The next `count` of a list.
fn take(next: &mut usize, count: u32) -> Range<usize> {
    let start = *next;
    *next += count as usize;
    start..*next
}

fn is_zero(counters: &[u8]) -> bool {
    // A comparison is the fastest way.
    static ZEROS: [u8; SEGMENT_BYTES] = [0; SEGMENT_BYTES];
    counters.chunks(SEGMENT_BYTES).all(|counters| *counters == ZEROS[..counters.len()])
}

fn segments(functions: &[Function]) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for (number, Function { counters, .. }) in functions.iter().enumerate() {
        match segments.last_mut() {
            Some(segment) if counters.end - segment.counters.start <= SEGMENT_BYTES => {
                segment.counters.end = counters.end;
                segment.functions.end = number + 1;
            }
            _ => {
                let (counters, functions) = (counters.clone(), number..number + 1);
                segments.push(Segment { counters, functions, is_zero: true });
            }
        }
    }
    segments
}
