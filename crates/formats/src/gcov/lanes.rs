//! Counters of several executions, solved at once.
//!
//! Each number of the solver becomes a vector with a lane for each execution, so the operations and
//! the sites of a function are read once for all of them, and the processor works on several lanes
//! at a time. Counts are 32 bits wide here. Executions with counters so large that their sums might not
//! fit are left to the solver of one execution.

use wide::i32x8;

use super::tape::{Operation, Slot};

/// How many executions are solved at once.
pub(super) const LANES: usize = 8;

/// A bit for each lane.
pub(super) type LaneMask = u8;

/// A count of each execution.
type Counts = i32x8;

/// Counters that are skipped together while all of them are zero.
const SEGMENT_COUNTERS: usize = 64;

/// Compared with the counters of a segment.
static ZEROS: [[u8; 8]; SEGMENT_COUNTERS] = [[0; 8]; SEGMENT_COUNTERS];

/// The counters of executions that were not solved yet.
pub(super) struct Lanes {
    /// The counters of each lane, negated.
    counters: [Vec<i32>; LANES],
    /// For each segment, the lanes that have counters in it that are not zero.
    counted: Vec<LaneMask>,
    /// The largest counter whose sums fit into a count.
    counter_max: u64,
    /// The counts of the function that is being solved, by slot, negated.
    counts: Vec<Counts>,
    /// For each slot, the lanes whose count is positive.
    positive: Vec<LaneMask>,
}

impl Lanes {
    /// Lanes for this many counters. No function has more than `function_counters_max` counters and
    /// `slots` slots.
    pub(super) fn new(counters: usize, function_counters_max: usize, slots: usize) -> Self {
        Lanes {
            counters: std::array::from_fn(|_| vec![0; counters]),
            counted: vec![0; counters.div_ceil(SEGMENT_COUNTERS)],
            counter_max: i32::MAX as u64 / function_counters_max.max(1) as u64,
            counts: vec![Counts::ZERO; slots],
            positive: vec![0; slots],
        }
    }

    /// Moves the counters of an execution to a lane, and sets them to zero; or leaves them as they are and
    /// returns false, if some are too large.
    pub(super) fn take(&mut self, lane: usize, counters: &mut [[u8; 8]]) -> bool {
        let bit = 1 << lane;
        let lane = &mut self.counters[lane];
        let mut large = None;
        let segments = counters.chunks_mut(SEGMENT_COUNTERS).zip(lane.chunks_mut(SEGMENT_COUNTERS));
        for (number, ((segment, moved), counted)) in segments.zip(&mut self.counted).enumerate() {
            // Comparing with zeros is the fastest way to find those that are not.
            if *segment == ZEROS[..segment.len()] {
                if *counted & bit != 0 {
                    moved.fill(0);
                    *counted &= !bit;
                }
                continue;
            }
            let mut any = 0;
            for (moved, counter) in moved.iter_mut().zip(&*segment) {
                any |= u64::from_le_bytes(*counter);
                let [a, b, c, d, ..] = *counter;
                *moved = i32::from_le_bytes([a, b, c, d]).wrapping_neg();
            }
            *counted |= bit;
            if any > self.counter_max {
                large = Some(number);
                break;
            }
            segment.fill([0; 8]);
        }
        let Some(large) = large else { return true };
        for (counter, moved) in counters[..large * SEGMENT_COUNTERS].iter_mut().zip(lane) {
            *counter = i64::from(moved.wrapping_neg()).to_le_bytes();
        }
        false
    }

    /// Solves a function, whose counters start at `first`, in the given lanes. Returns whether any of its counters is
    /// not zero, and if so, the lanes whose counts do not add up: a slot that must not be negative is.
    pub(super) fn solve(
        &mut self,
        first: usize,
        counters: usize,
        operations: &[Operation],
        sound: &[Slot],
        lanes: LaneMask,
    ) -> Option<LaneMask> {
        if counters == 0 {
            return None;
        }
        let segments = first / SEGMENT_COUNTERS..=(first + counters - 1) / SEGMENT_COUNTERS;
        if self.counted[segments].iter().fold(0, |all, counted| all | counted) & lanes == 0 {
            return None;
        }
        let of_lane = self.counters.each_ref().map(|lane| &lane[first..first + counters]);
        let is_zero = |lane: usize| of_lane[lane].iter().fold(0, |any, counter| any | counter) == 0;
        if lanes_of(lanes).all(is_zero) {
            return None;
        }
        // A vector that was just written from single numbers must not be read here: the processor waits until all
        // of them are in its cache.
        for (number, counts) in self.counts[1..=counters].iter_mut().enumerate() {
            *counts = Counts::new(std::array::from_fn(|lane| of_lane[lane][number]));
        }
        let next = 1 + counters;
        let doubtful = run(operations, &mut self.counts, next) & lanes;
        for (counts, positive) in
            self.counts[..next + operations.len()].iter().zip(&mut self.positive)
        {
            *positive = negative(*counts);
        }
        let unsound = |lane: &usize| {
            sound.iter().any(|slot| self.counts[*slot as usize].as_array_ref()[*lane] > 0)
        };
        let unsound = lanes_of(doubtful).filter(unsound);
        Some(unsound.fold(0, |mask, lane| mask | 1 << lane))
    }

    /// For each slot of the function that was solved last, the lanes whose count is positive.
    pub(super) fn positive(&self) -> &[LaneMask] {
        &self.positive
    }
}

/// The lanes of a mask.
pub(super) fn lanes_of(mask: LaneMask) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}

/// Runs operations on counts up to `next`, and stores the results after them. Returns the lanes in
/// which a result is negative. As in `tape::run`, all counts are negated.
#[inline(never)] // A separate function, so that the loop has enough registers.
fn run(operations: &[Operation], counts: &mut [Counts], next: usize) -> LaneMask {
    let (one, mut signs) = (Counts::ONE, Counts::splat(-1));
    for (number, operation) in (next..).zip(operations) {
        let (left, right, sign) = operation.operands();
        // All bits of the sign are set to subtract, none to add. In two's complement, -x is !x + 1.
        let sign = Counts::splat(sign);
        let result = counts[left] + ((counts[right] ^ sign) - sign);
        signs &= result - one;
        counts[number] = result;
    }
    !negative(signs)
}

/// The lanes whose number is negative.
#[inline]
fn negative(numbers: Counts) -> LaneMask {
    numbers.move_mask().to_le_bytes()[0]
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

    fn bytes(counters: &[i64]) -> Vec<[u8; 8]> {
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
                let solved = lanes.solve(first, count, &tape.operations, &sound, used);
                for lane in lanes_of(used) {
                    let (counts, adds_up) = one_by_one(&tape, &executions[lane][first..first + count]);
                    let unsound = solved.unwrap_or(0);
                    prop_assert_eq!(unsound >> lane & 1 == 0, adds_up);
                    for (slot, count) in counts.iter().enumerate() {
                        let is_positive = solved.is_some() && lanes.positive()[slot] >> lane & 1 != 0;
                        prop_assert_eq!(is_positive, above_zero(*count) != 0);
                    }
                }
            }
        }
    }
}
