//! A solved flow graph as a tape: a list of additions and subtractions.
//!
//! Many arcs and blocks of a graph have the same count by its shape alone: a block with one arc in
//! and one arc out, or the two ends of an `if`. They are found by running the graph once on
//! fingerprints instead of counts. A count is a sum of counters, some of them negated, and its
//! fingerprint is the same sum of pseudo-random numbers: two counts with the same fingerprint are
//! the same sum. So each sum is computed once, and most blocks need none at all.

use std::cell::Cell;
use std::num::Wrapping;

use hashbrown::HashMap;

use super::flow::{Flow, Step, Variable};

type Fingerprint = Wrapping<u128>;

/// The position of a count while a tape runs: first a zero, then the counters, then the result of
/// each operation.
pub(super) type Slot = u32;

/// The slot that is always zero.
pub(super) const ZERO: Slot = 0;

/// `left + right`, or `left - right`. Its result goes to the next slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    left: Slot,
    /// Possibly with the flag [`SUBTRACT`].
    right: Slot,
}

/// The highest bit of a slot, which is free: see `VARIABLES_MAX` of a flow.
const SUBTRACT: Slot = 1 << 31;

impl Operation {
    /// More slots than any function has.
    pub(super) const SLOTS_MAX: u32 = SUBTRACT;

    /// The operation as numbers, to be stored.
    pub(super) fn words(self) -> [u32; 2] {
        [self.left, self.right]
    }

    /// The operation of such numbers.
    pub(super) fn of_words([left, right]: [u32; 2]) -> Self {
        Operation { left, right }
    }

    /// Its operands, and all bits set if the right one is subtracted, none otherwise.
    #[inline]
    pub(super) fn operands(self) -> (usize, usize, i32) {
        let right = self.right & !SUBTRACT;
        (self.left as usize, right as usize, self.right.cast_signed() >> 31)
    }

    /// Whether its operands are among the first slots.
    pub(super) fn is_before(self, slots: u64) -> bool {
        u64::from(self.left) < slots && u64::from(self.right & !SUBTRACT) < slots
    }
}

/// A function's flow graph, as operations.
pub(super) struct Tape {
    pub(super) operations: Vec<Operation>,
    /// The slot of each variable of the flow.
    slots: Vec<Slot>,
}

impl Tape {
    pub(super) fn of(flow: &Flow) -> Self {
        let prints = flow.run(&fingerprints(flow.counter_count()));
        let mut recording = Recording { slots: HashMap::new(), operations: Vec::new(), next: 1 };
        recording.slots.insert(Wrapping(0), ZERO);
        for variable in flow.counted() {
            recording.slots.insert(prints[*variable as usize], recording.next);
            recording.next += 1;
        }
        for (step, terms) in flow.steps() {
            recording.record(step, terms, &prints);
        }
        let Recording { slots, operations, .. } = recording;
        let slots = prints.iter().map(|print| slots[print]).collect();
        Tape { operations, slots }
    }

    /// The slot of a variable.
    pub(super) fn slot(&self, variable: Variable) -> Slot {
        self.slots[variable as usize]
    }
}

/// Runs operations on counts up to `next`, and stores the results after them. Returns whether they
/// add up: none is negative.
///
/// All counts are negated, which does not matter for sums. So the highest bit of a count says that
/// it is positive, and its effect is computed without a branch, which could not be predicted.
#[inline(never)] // A separate function, so that the loop has enough registers.
pub(super) fn run(operations: &[Operation], counts: &mut [i64], next: usize) -> bool {
    // Cells, because results are written to the slice that operands are read from.
    let counts = Cell::from_mut(counts).as_slice_of_cells();
    let mut signs = -1;
    for (operation, target) in operations.iter().zip(&counts[next..]) {
        let (left, right, sign) = operation.operands();
        let (left, right, sign) = (counts[left].get(), counts[right].get(), i64::from(sign));
        // In two's complement, -x is !x + 1.
        let result = left.wrapping_add((right ^ sign).wrapping_sub(sign));
        signs &= result.wrapping_sub(1);
        target.set(result);
    }
    signs < 0
}

/// All bits set if a negated count stands for a positive one, none otherwise.
#[inline]
pub(super) fn above_zero(count: i64) -> u64 {
    (count >> (i64::BITS - 1)).cast_unsigned()
}

/// A tape while it is being recorded.
struct Recording {
    /// The slot of each fingerprint.
    slots: HashMap<Fingerprint, Slot>,
    operations: Vec<Operation>,
    next: Slot,
}

impl Recording {
    /// Records the sum of a step, unless it is already known.
    fn record(&mut self, step: &Step, terms: &[Variable], prints: &[Fingerprint]) {
        if self.slots.contains_key(&prints[step.target as usize]) {
            return;
        }
        let (mut sum, mut print) = (ZERO, Wrapping(0));
        for (at, term) in terms.iter().enumerate() {
            let term = prints[*term as usize];
            if term.0 == 0 {
                continue;
            }
            let subtracted = at >= step.added as usize;
            print = if subtracted { print - term } else { print + term };
            sum = match self.slots.get(&print) {
                Some(known) => *known,
                None => self.operation(sum, self.slots[&term], subtracted, print),
            };
        }
    }

    fn operation(&mut self, left: Slot, right: Slot, subtracted: bool, print: Fingerprint) -> Slot {
        let right = if subtracted { right | SUBTRACT } else { right };
        self.operations.push(Operation { left, right });
        self.slots.insert(print, self.next);
        self.next += 1;
        self.next - 1
    }
}

/// Pseudo-random numbers, always the same (splitmix64, two for each). The probability that two
/// different sums have the same fingerprint is below 2^-100.
fn fingerprints(count: usize) -> Vec<Fingerprint> {
    let mut state = 0x6d65_7461_636f_7600_u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        u128::from(mixed ^ mixed >> 31)
    };
    (0..count).map(|_| Wrapping(next() << 64 | next())).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::notes::Notes;
    use super::*;

    /// For any counters, sound or not: all counts of a tape equal those of its flow.
    #[test]
    fn a_tape_has_the_counts_of_its_flow() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gcda");
        let (mut saved, mut doubtful) = (0, 0);
        for name in ["gcc-11/main.gcno", "gcc-12/main.gcno", "gcc-12/shapes.gcno"] {
            let notes = Notes::read(&std::fs::read(data.join(name)).unwrap(), |_| true).unwrap();
            for function in &notes.functions {
                let flow = Flow::of(function).unwrap();
                let tape = Tape::of(&flow);
                saved += flow.steps().count() - tape.operations.len();
                for seed in fingerprints(20) {
                    let first = 1 + flow.counter_count();
                    let bits = |number: usize| (seed.0 >> (number % 100) & 0xff) as i64;
                    let counters: Vec<_> = (0..first - 1).map(|at| Wrapping(bits(at))).collect();
                    let right = flow.run(&counters);
                    let mut counts = vec![0; first + tape.operations.len()];
                    for (count, counter) in counts[1..].iter_mut().zip(&counters) {
                        *count = -counter.0;
                    }
                    let adds_up = run(&tape.operations, &mut counts, first);
                    assert_eq!(adds_up, right.iter().all(|count| count.0 >= 0));
                    doubtful += usize::from(!adds_up);
                    for (variable, count) in (0..).zip(&right) {
                        let ours = counts[tape.slot(variable) as usize];
                        assert_eq!(-ours, count.0, "{}", function.name);
                        assert_eq!(above_zero(ours) == u64::MAX, count.0 > 0);
                    }
                }
            }
        }
        assert!(saved > 100 && doubtful > 100, "{saved} {doubtful}");
    }
}
