//! Counters of several executions, solved at once.
//!
//! Each number of the solver becomes a vector with a lane for each execution, so the operations and
//! the sites of a function are read once for all of them, and the processor works on several lanes
//! at a time. Counts are 32 bits wide here. Executions with counters so large that their sums might not
//! fit are left to the solver of one execution.
//!
//! Vectors are arrays, in loops that the compiler turns into the instructions of the processor. The
//! functions that have them are compiled for several processors, one of which is chosen at run time.

use std::ops::Range;

use multiversion::multiversion;

use super::tape::{Operation, Slot};

/// How many executions are solved at once.
pub(super) const LANES: usize = 8;

/// A bit for each lane.
pub(super) type LaneMask = u8;

/// A count of each execution, negated.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Counts(pub(super) [i32; LANES]);

/// Counters that are skipped together while all of them are zero.
pub const SEGMENT_COUNTERS: usize = 64;

/// Counters of lanes that become vectors together.
const BLOCK: usize = LANES / 2;

/// Counters of a segment that are known to be all zero, or not: those of a function, on average.
const GROUP_COUNTERS: usize = 16;
const GROUPS: usize = SEGMENT_COUNTERS / GROUP_COUNTERS;
const GROUP_BITS: u64 = (1 << GROUP_COUNTERS) - 1;

/// A counter has eight bytes, the low byte first.
pub type Counter = [u8; 8];

/// Counters whose bits are a word.
pub type Segment = [Counter; SEGMENT_COUNTERS];

/// The counters of executions that were not solved yet.
pub(super) struct Lanes {
    /// The counters of each lane, negated, and zeros up to the end of the last segment.
    counters: [Vec<[i32; SEGMENT_COUNTERS]>; LANES],
    /// For each group of each segment, the lanes that have counters in it that are not zero.
    counted: Vec<[LaneMask; GROUPS]>,
    /// The largest counter whose sums fit into a count.
    counter_max: u64,
    /// The counts of the function that is being solved, by slot.
    counts: Vec<Counts>,
}

impl Lanes {
    /// Lanes for this many counters. No function has more than `function_counters_max` counters and
    /// `slots` slots.
    pub(super) fn new(counters: usize, function_counters_max: usize, slots: usize) -> Self {
        let segments = counters.div_ceil(SEGMENT_COUNTERS);
        Lanes {
            counters: std::array::from_fn(|_| vec![[0; SEGMENT_COUNTERS]; segments]),
            counted: vec![[0; GROUPS]; segments],
            counter_max: i32::MAX as u64 / function_counters_max.max(1) as u64,
            counts: vec![Counts([0; LANES]); slots],
        }
    }

    /// Moves the counters of an execution to a lane, and sets them to zero; or leaves them as they are and
    /// returns false, if some are too large.
    pub(super) fn take(&mut self, lane: usize, counters: &mut [Counter]) -> bool {
        let (segments, rest) = counters.as_chunks_mut();
        let mut last = [Counter::default(); SEGMENT_COUNTERS];
        last[..rest.len()].copy_from_slice(rest);
        if !self.take_segments(0, lane, segments) {
            return false;
        }
        if !self.take_segments(segments.len(), lane, std::slice::from_mut(&mut last)) {
            self.give_back(lane, segments);
            return false;
        }
        rest.fill(Counter::default());
        true
    }

    /// Takes all of these segments, or none.
    fn take_segments(&mut self, first: usize, lane: usize, segments: &mut [Segment]) -> bool {
        let moved = &mut self.counters[lane][first..];
        let counted = &mut self.counted[first..];
        let taken = take(lane, segments, moved, counted, self.counter_max);
        let is_complete = taken == segments.len();
        if !is_complete {
            self.give_back(lane, &mut segments[..taken]);
        }
        is_complete
    }

    fn give_back(&self, lane: usize, segments: &mut [Segment]) {
        let (counters, moved) = (segments.as_flattened_mut(), self.counters[lane].as_flattened());
        for (counter, moved) in counters.iter_mut().zip(moved) {
            *counter = i64::from(moved.wrapping_neg()).to_le_bytes();
        }
    }

    /// The groups with counters that are not zero in one of these lanes, in their order.
    pub(super) fn counted(&self, lanes: LaneMask) -> Vec<Range<usize>> {
        let mut groups = Vec::new();
        for (segment, counted) in self.counted.iter().enumerate() {
            if *counted == [0; GROUPS] {
                continue;
            }
            for (group, counted) in counted.iter().enumerate() {
                let start = segment * SEGMENT_COUNTERS + group * GROUP_COUNTERS;
                if counted & lanes != 0 {
                    groups.push(start..start + GROUP_COUNTERS);
                }
            }
        }
        groups
    }

    /// Solves a function with these counters in the given lanes. Returns those whose counts do not add up: a slot
    /// that must not be negative is.
    pub(super) fn solve(
        &mut self,
        counters: Range<usize>,
        operations: &[Operation],
        sound: &[Slot],
        lanes: LaneMask,
    ) -> LaneMask {
        let next = 1 + counters.len();
        load(&self.counters, counters.start, &mut self.counts[1..next]);
        let doubtful = run(operations, &mut self.counts, next) & lanes;
        let unsound =
            |lane: &usize| sound.iter().any(|slot| self.counts[*slot as usize].0[*lane] > 0);
        let unsound = lanes_of(doubtful).filter(unsound);
        unsound.fold(0, |mask, lane| mask | 1 << lane)
    }

    /// The counts of the function that was solved last, by slot.
    pub(super) fn counts(&self) -> &[Counts] {
        &self.counts
    }
}

/// The lanes of a mask.
pub(super) fn lanes_of(mask: LaneMask) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}

/// Moves counters, and notes which groups have some that are not zero. Returns how many segments were taken: the next
/// one has a counter above the maximum.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn take(
    lane: usize,
    segments: &mut [Segment],
    moved: &mut [[i32; SEGMENT_COUNTERS]],
    counted: &mut [[LaneMask; GROUPS]],
    counter_max: u64,
) -> usize {
    let bit = 1 << lane;
    let moved = moved.iter_mut().zip(counted);
    for (number, (segment, (moved, counted))) in segments.iter_mut().zip(moved).enumerate() {
        let all = segment.iter().fold(0, |all, counter| all | u64::from_le_bytes(*counter));
        if all == 0 {
            if counted.iter().any(|lanes| lanes & bit != 0) {
                *moved = [0; SEGMENT_COUNTERS];
                for lanes in counted {
                    *lanes &= !bit;
                }
            }
            continue;
        }
        if all > counter_max {
            return number;
        }
        for (moved, counter) in moved.iter_mut().zip(&*segment) {
            *moved = low_half(*counter).wrapping_neg();
        }
        let word = counted_bits(segment);
        for (group, lanes) in counted.iter_mut().enumerate() {
            let is_counted = word >> (group * GROUP_COUNTERS) & GROUP_BITS != 0;
            *lanes = *lanes & !bit | LaneMask::from(is_counted) << lane;
        }
        *segment = [Counter::default(); SEGMENT_COUNTERS];
    }
    segments.len()
}

#[expect(clippy::cast_possible_truncation, reason = "the other half is zero, or not used")]
#[expect(clippy::inline_always, reason = "compiled for the processor of its caller")]
#[inline(always)]
fn low_half(counter: Counter) -> i32 {
    i64::from_le_bytes(counter) as i32
}

/// The bit of each counter of a segment.
const BITS: [u64; SEGMENT_COUNTERS] = {
    let mut bits = [0; SEGMENT_COUNTERS];
    let mut at = 0;
    while at < SEGMENT_COUNTERS {
        bits[at] = 1 << at;
        at += 1;
    }
    bits
};

/// Which counters of a segment are not zero, one bit each.
#[expect(clippy::inline_always, reason = "compiled for the processor of its caller")]
#[inline(always)]
pub fn counted_bits(segment: &Segment) -> u64 {
    // The compiler has vectors for this, and none for shifting each bit to its place.
    let bits = segment.iter().zip(&BITS);
    let bits = bits.map(|(counter, bit)| if *counter == Counter::default() { 0 } else { *bit });
    bits.fold(0, |word, bit| word | bit)
}

/// The counters of all lanes from `first` on as vectors.
#[multiversion(targets("x86_64+avx2"))]
fn load(lanes: &[Vec<[i32; SEGMENT_COUNTERS]>; LANES], first: usize, counts: &mut [Counts]) {
    let [a, b, c, d, e, f, g, h] = lanes;
    let end = first + counts.len();
    let (a, b) = (&a.as_flattened()[first..end], &b.as_flattened()[first..end]);
    let (c, d) = (&c.as_flattened()[first..end], &d.as_flattened()[first..end]);
    let (e, f) = (&e.as_flattened()[first..end], &f.as_flattened()[first..end]);
    let (g, h) = (&g.as_flattened()[first..end], &h.as_flattened()[first..end]);
    let (blocks, rest) = counts.as_chunks_mut::<BLOCK>();
    for (number, block) in blocks.iter_mut().enumerate() {
        let at = number * BLOCK;
        let left = columns([block_at(a, at), block_at(b, at), block_at(c, at), block_at(d, at)]);
        let right = columns([block_at(e, at), block_at(f, at), block_at(g, at), block_at(h, at)]);
        for (counts, halves) in block.iter_mut().zip(left.into_iter().zip(right)) {
            let (first, second) = counts.0.split_at_mut(BLOCK);
            first.copy_from_slice(&halves.0);
            second.copy_from_slice(&halves.1);
        }
    }
    for (at, counts) in (blocks.len() * BLOCK..).zip(rest) {
        counts.0 = [a[at], b[at], c[at], d[at], e[at], f[at], g[at], h[at]];
    }
}

#[expect(clippy::inline_always, reason = "compiled for the processor of its caller")]
#[inline(always)]
fn block_at(lane: &[i32], at: usize) -> [i32; BLOCK] {
    [lane[at], lane[at + 1], lane[at + 2], lane[at + 3]]
}

/// The columns of these rows.
#[inline]
fn columns(rows: [[i32; BLOCK]; BLOCK]) -> [[i32; BLOCK]; BLOCK] {
    // The compiler would move the numbers one by one. Half of the next vectors that are read would then have to
    // wait until all of their numbers are in the cache.
    #[cfg(target_arch = "x86_64")]
    {
        use safe_arch::{
            m128i, unpack_high_i32_m128i, unpack_high_i64_m128i, unpack_low_i32_m128i,
            unpack_low_i64_m128i,
        };
        let [a, b, c, d] = rows;
        let (a, b, c, d) = (m128i::from(a), m128i::from(b), m128i::from(c), m128i::from(d));
        let (ab, cd) = (unpack_low_i32_m128i(a, b), unpack_low_i32_m128i(c, d));
        let (ab_high, cd_high) = (unpack_high_i32_m128i(a, b), unpack_high_i32_m128i(c, d));
        [
            unpack_low_i64_m128i(ab, cd).into(),
            unpack_high_i64_m128i(ab, cd).into(),
            unpack_low_i64_m128i(ab_high, cd_high).into(),
            unpack_high_i64_m128i(ab_high, cd_high).into(),
        ]
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::array::from_fn(|column| rows.map(|row| row[column]))
}

/// Runs operations on counts up to `next`, and stores the results after them. Returns the lanes in
/// which a result is negative. As in `tape::run`, all counts are negated.
#[multiversion(targets("x86_64+avx2"))]
fn run(operations: &[Operation], counts: &mut [Counts], next: usize) -> LaneMask {
    let mut signs = [-1; LANES];
    for (number, operation) in (next..).zip(operations) {
        // All bits of the sign are set to subtract, none to add. In two's complement, -x is !x + 1.
        let (left, right, sign) = operation.operands();
        let (left, right) = (counts[left].0, counts[right].0);
        let result: [i32; LANES] = std::array::from_fn(|lane| {
            left[lane].wrapping_add((right[lane] ^ sign).wrapping_sub(sign))
        });
        for (sign, result) in signs.iter_mut().zip(result) {
            *sign &= result.wrapping_sub(1);
        }
        counts[number] = Counts(result);
    }
    !negative(Counts(signs))
}

/// The lanes whose number is negative.
#[inline]
fn negative(numbers: Counts) -> LaneMask {
    let mask = |(lane, number): (usize, &i32)| LaneMask::from(*number < 0) << lane;
    numbers.0.iter().enumerate().map(mask).fold(0, |all, lane| all | lane)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::super::flow::Flow;
    use super::super::notes::Notes;
    use super::super::tape::{self, Tape, above_zero};
    use super::*;

    /// The counts of one execution, and whether they add up.
    fn one_by_one(tape: &Tape, counters: &[i64]) -> (Vec<i64>, bool) {
        let next = 1 + counters.len();
        let mut counts = vec![0; next + tape.operations.len()];
        for (count, counter) in counts[1..].iter_mut().zip(counters) {
            *count = counter.wrapping_neg();
        }
        tape::run(&tape.operations, &mut counts, next);
        let adds_up = counts.iter().all(|count| *count <= 0);
        (counts, adds_up)
    }

    fn bytes(counters: &[i64]) -> Vec<Counter> {
        counters.iter().map(|counter| counter.to_le_bytes()).collect()
    }

    /// The counters of executions, some of them zero and some large.
    fn executions() -> impl Strategy<Value = Vec<Vec<i64>>> {
        let counter =
            prop_oneof![3 => Just(0), 3 => 1..4_i64, 1 => 1..1_000_000_i64, 1 => any::<i64>()];
        let execution =
            prop_oneof![1 => Just(vec![0; 300]), 6 => prop::collection::vec(counter, 300)];
        prop::collection::vec(execution, 1..=LANES)
    }

    proptest! {
        /// Also after other executions in the same lanes, some of which have large counters.
        #[test]
        fn lanes_have_the_counts_of_each_execution(
            before in executions(),
            executions in executions(),
            first in 0..200_usize,
        ) {
            let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gcda/gcc-12");
            let notes = std::fs::read(data.join("shapes.gcno")).unwrap();
            let notes = Notes::read(&notes, |_| true).unwrap();
            for function in &notes.functions {
                let flow = Flow::of(function).unwrap();
                let tape = Tape::of(&flow);
                let count = flow.counter_count();
                let slots = 1 + count + tape.operations.len();
                let sound: Vec<Slot> = (1..).take(slots - 1).collect();
                let mut lanes = Lanes::new(300, count, slots);
                for (lane, execution) in before.iter().enumerate() {
                    lanes.take(lane, &mut bytes(execution));
                }
                let mut used = 0;
                for (lane, execution) in executions.iter().enumerate() {
                    let mut counters = bytes(execution);
                    let is_taken = lanes.take(lane, &mut counters);
                    prop_assert_eq!(&counters, &bytes(&if is_taken { vec![0; 300] } else { execution.clone() }));
                    used |= LaneMask::from(is_taken) << lane;
                }
                let counters = first..first + count;
                let is_counted = |lane: usize| {
                    let groups = lanes.counted(1 << lane);
                    groups.iter().any(|group| group.start < counters.end && counters.start < group.end)
                };
                let is_counted: Vec<bool> = (0..LANES).map(is_counted).collect();
                let unsound = lanes.solve(counters.clone(), &tape.operations, &sound, used);
                for lane in lanes_of(used) {
                    let (counts, adds_up) = one_by_one(&tape, &executions[lane][counters.clone()]);
                    prop_assert!(is_counted[lane] || counts.iter().all(|count| *count == 0));
                    prop_assert_eq!(unsound >> lane & 1 == 0, adds_up);
                    for (slot, count) in counts.iter().enumerate() {
                        let is_positive = lanes.counts()[slot].0[lane] < 0;
                        prop_assert_eq!(is_positive, above_zero(*count) != 0);
                    }
                }
            }
        }
    }
}
