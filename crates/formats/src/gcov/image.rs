//! The counters of a program, prepared to be read many times.
//!
//! From one execution to the next most functions have the same counters, so the last counters are
//! kept with their results, and only functions whose counters have changed are solved again.
//! Initially all counters are zero and no site ran.

use std::collections::BTreeSet;
use std::ops::Range;

use metacov_core::{Cover, Reading, SiteId, SiteTable, Symbol};

use super::compiled::CompiledUnit;
use super::lanes::{LANES, LaneMask, Lanes, lanes_of};
use super::projection::Projection;
use super::stencil::Stencils;
use super::tape::{self, Operation, Slot};
use crate::{Fault, Location, SiteRecorder};

/// Counters that are skipped together while all of them are zero, as most are.
const SEGMENT_BYTES: usize = 512;

/// Counters that are compared at once: a line of the processor's cache. Functions have a hundred bytes of
/// counters on average.
const BLOCK_BYTES: usize = 64;

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
    /// For each block of counters, the number of the first function that ends after its start.
    first_functions: Vec<u32>,
    /// For each segment, whether its last counters are all zero.
    zero_segments: Vec<bool>,
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
    /// Whether each function starts at a multiple of the size of a counter.
    is_aligned: bool,
    /// Executions that are solved together, once there are some.
    lanes: Option<Lanes>,
}

struct Function {
    /// In the site table, which has most of these names anyway: those of C++ take tens of megabytes.
    name: Symbol,
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

/// An image while its pieces are added one by one, so that no more than one of a large program is in
/// memory.
pub(super) struct ImageBuilder {
    known: Reading,
    compiled: Compiled,
}

impl ImageBuilder {
    pub(super) fn new(recorder: &SiteRecorder<'_>) -> Self {
        ImageBuilder { known: Reading::of(recorder.table), compiled: Compiled::default() }
    }

    /// Adds all sites of a piece to the table.
    pub(super) fn add(
        &mut self,
        piece: &Piece<'_>,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), Fault> {
        let projection = Projection::of(piece.unit, piece.name, recorder)?;
        self.known.unite(projection.reading());
        self.compiled.add(piece, &projection, recorder);
        Ok(())
    }

    /// The image of all pieces.
    pub(super) fn build(self, recorder: &SiteRecorder<'_>) -> Result<Image, Fault> {
        let ImageBuilder { known, mut compiled } = self;
        compiled.order(recorder.table)?;
        let Compiled { functions, operations, sound, mut sites, slots } = compiled;
        let (functions, of_functions): (Vec<_>, Vec<_>) = functions.into_iter().unzip();
        let bytes = functions.last().map_or(0, |function| function.counters.end);
        let spans = functions.iter().map(|function| Span::of(&function.counters));
        let spans: Vec<Span> = spans.collect();
        Ok(Image {
            is_aligned: spans.iter().all(|span| span.range().start.is_multiple_of(COUNTER_BYTES)),
            spans,
            first_functions: first_functions(&functions, bytes),
            zero_segments: vec![true; bytes.div_ceil(SEGMENT_BYTES)],
            stencils: Stencils::of(recorder.table, &mut sites, &of_functions),
            last: vec![0; bytes],
            inconsistent: BTreeSet::new(),
            counts: vec![0; slots],
            lanes: None,
            functions,
            operations,
            sound,
            known,
        })
    }
}

impl Image {
    /// The smallest size of the counters in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.last.len()
    }

    /// Reads counters, which must be at least that long.
    pub(super) fn update(&mut self, counters: &[u8]) {
        let counters = &counters[..self.last.len()];
        // The first function that was not looked at yet.
        let mut next = 0;
        for (number, segment) in counters.chunks(SEGMENT_BYTES).enumerate() {
            let is_zero = is_zero(segment);
            if std::mem::replace(&mut self.zero_segments[number], is_zero) && is_zero {
                continue;
            }
            for (at, block) in segment.chunks(BLOCK_BYTES).enumerate() {
                let start = number * SEGMENT_BYTES + at * BLOCK_BYTES;
                let end = start + block.len();
                if is_equal(block, &self.last[start..end]) {
                    continue;
                }
                next = next.max(self.first_functions[start / BLOCK_BYTES] as usize);
                while next < self.spans.len() && (self.spans[next].start as usize) < end {
                    self.solve(next, counters);
                    next += 1;
                }
            }
        }
    }

    /// Solves a function, unless its counters are the last ones.
    fn solve(&mut self, number: usize, counters: &[u8]) {
        let span = self.spans[number].range();
        let Some(signs) =
            load(&counters[span.clone()], &mut self.last[span.clone()], &mut self.counts)
        else {
            return;
        };
        let function = &self.functions[number];
        let operations = &self.operations[function.operations.clone()];
        let adds_up = tape::run(operations, &mut self.counts, 1 + span.len() / COUNTER_BYTES);
        if adds_up && signs >= 0 || function.is_sound(&self.sound, &self.counts) {
            self.inconsistent.remove(&number);
        } else {
            self.inconsistent.insert(number);
        }
        self.stencils.set(number, &self.counts);
    }

    /// Keeps the counters of an execution, which must be as for `update`, for `solve_lanes` and sets them to
    /// zero; or leaves them as they are and returns false, if that solver cannot treat them.
    pub(super) fn take(&mut self, lane: usize, counters: &mut [u8]) -> bool {
        if !self.is_aligned {
            return false;
        }
        let counters = counters[..self.last.len()].as_chunks_mut().0;
        let slots = self.counts.len();
        let lanes = self.lanes.get_or_insert_with(|| {
            let of_functions = self.spans.iter().map(|span| span.range().len() / COUNTER_BYTES);
            Lanes::new(counters.len(), of_functions.max().unwrap_or(0), slots)
        });
        lanes.take(lane, counters)
    }

    /// The sites that ran in each of the first `count` lanes, and a function whose counters do not add up.
    pub(super) fn solve_lanes(&mut self, count: usize) -> Vec<(Cover, Option<Symbol>)> {
        let used = LaneMask::try_from((1_u32 << count) - 1).unwrap_or(LaneMask::MAX);
        let mut rows = self.stencils.rows();
        let mut inconsistent = [None; LANES];
        // The first function that was not looked at yet.
        let mut next = 0;
        let groups = self.lanes.as_ref().map_or_else(Vec::new, |lanes| lanes.counted(used));
        for Range { start, end } in groups {
            let block = start * COUNTER_BYTES / BLOCK_BYTES;
            next = next.max(self.first_functions.get(block).map_or(usize::MAX, |at| *at as usize));
            while let Some(span) = self.spans.get(next)
                && (span.start as usize) < end * COUNTER_BYTES
                && let Some(lanes) = &mut self.lanes
            {
                let counters =
                    span.start as usize / COUNTER_BYTES..span.end as usize / COUNTER_BYTES;
                let function = &self.functions[next];
                let operations = &self.operations[function.operations.clone()];
                let sound = &self.sound[function.sound.clone()];
                let unsound = lanes.solve(counters, operations, sound, used);
                self.stencils.add_to_rows(next, lanes.counts(), &mut rows);
                for lane in lanes_of(unsound) {
                    inconsistent[lane].get_or_insert(function.name);
                }
                next += 1;
            }
        }
        self.stencils.covers(&rows, count).into_iter().zip(inconsistent).collect()
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
    pub(super) fn check(&self, table: &SiteTable) -> Result<(), Fault> {
        match self.inconsistent.first() {
            Some(number) => Err(inconsistent(self.functions[*number].name, table)),
            None => Ok(()),
        }
    }
}

/// The error for a function whose counters do not add up.
pub(super) fn inconsistent(function: Symbol, table: &SiteTable) -> Fault {
    Fault::Inconsistent { function: table.name(function).to_owned() }
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
    /// Whether no real arc or block has a negative count, for counts some of which are negative.
    fn is_sound(&self, sound: &[Slot], counts: &[i64]) -> bool {
        sound[self.sound.clone()].iter().all(|slot| counts[*slot as usize] <= 0)
    }
}

/// Functions while they are being collected.
#[derive(Default)]
struct Compiled {
    /// Each with the range of its sites.
    functions: Vec<(Function, Range<usize>)>,
    operations: Vec<Operation>,
    sound: Vec<Slot>,
    /// Which count makes which site run.
    sites: Vec<(SiteId, Slot)>,
    /// As many as the largest function needs.
    slots: usize,
}

impl Compiled {
    fn add(&mut self, piece: &Piece<'_>, projection: &Projection, recorder: &mut SiteRecorder<'_>) {
        let unit = piece.unit;
        let (mut operations, mut sound) = (self.operations.len(), self.sound.len());
        let mut sites = self.sites.len();
        let functions = unit.functions.iter().zip(&piece.starts);
        for ((function, start), site_count) in functions.zip(projection.site_counts()) {
            let counters = *start..start + COUNTER_BYTES * function.counters as usize;
            let operations = take(&mut operations, function.operations);
            let sound = take(&mut sound, function.sound);
            let name = recorder.symbol(&unit.names[function.name as usize]);
            let function = Function { name, counters, operations, sound };
            self.functions.push((function, take(&mut sites, *site_count)));
        }
        self.operations.extend_from_slice(&unit.operations);
        self.sound.extend_from_slice(&unit.sound);
        self.sites.extend_from_slice(projection.sites());
        self.slots = self.slots.max(unit.slots());
    }

    /// Orders functions by their counters, which must not overlap.
    fn order(&mut self, table: &SiteTable) -> Result<(), Fault> {
        self.functions.sort_by_key(|(function, _)| function.counters.start);
        let mut neighbours = self.functions.windows(2);
        match neighbours.find(|pair| pair[0].0.counters.end > pair[1].0.counters.start) {
            Some(pair) => {
                let name = table.name(pair[1].0.name);
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

/// Writes the counters of a function to `counts`, negated, and to `last`. Returns their signs united, or nothing
/// if they are the last ones.
#[inline]
fn load(counters: &[u8], last: &mut [u8], counts: &mut [i64]) -> Option<i64> {
    let counters = counters.as_chunks::<COUNTER_BYTES>().0;
    let last = last.as_chunks_mut::<COUNTER_BYTES>().0;
    let (mut signs, mut changes) = (0, 0);
    for ((count, counter), last) in counts[1..].iter_mut().zip(counters).zip(last) {
        let counter = i64::from_le_bytes(*counter);
        changes |= counter ^ i64::from_le_bytes(*last);
        signs |= counter;
        *last = counter.to_le_bytes();
        *count = counter.wrapping_neg();
    }
    (changes != 0).then_some(signs)
}

/// Whether counters are all zero.
#[inline]
fn is_zero(counters: &[u8]) -> bool {
    let (blocks, rest) = counters.as_chunks::<BLOCK_BYTES>();
    blocks.iter().all(|block| differs(block, &[0; BLOCK_BYTES]) == 0)
        && rest.iter().all(|byte| *byte == 0)
}

/// Whether two blocks are known to be equal. An incomplete block, the last one, never is.
#[inline]
fn is_equal(left: &[u8], right: &[u8]) -> bool {
    let (left, right) = (left.as_chunks().0, right.as_chunks().0);
    matches!((left, right), ([left], [right]) if differs(left, right) == 0)
}

/// Zero if two blocks are equal. Inlined, because a call of `memcmp` takes longer than this comparison.
#[inline]
fn differs(left: &[u8; BLOCK_BYTES], right: &[u8; BLOCK_BYTES]) -> u64 {
    let numbers = left.as_chunks().0.iter().zip(right.as_chunks().0);
    numbers
        .fold(0, |all, (left, right)| all | u64::from_ne_bytes(*left) ^ u64::from_ne_bytes(*right))
}

/// For each block of counters, the number of the first function that ends after its start.
fn first_functions(functions: &[Function], bytes: usize) -> Vec<u32> {
    let mut first = 0;
    let blocks = (0..bytes).step_by(BLOCK_BYTES).map(|start| {
        first +=
            functions[first..].iter().take_while(|function| function.counters.end <= start).count();
        u32::try_from(first).unwrap_or(u32::MAX)
    });
    blocks.collect()
}
