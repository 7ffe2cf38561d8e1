//! The raw trace of an execution: which counters of a library are not zero.

use std::ops::{BitAndAssign, BitOrAssign, BitXorAssign};

use metacov_formats::{Counter, SEGMENT_COUNTERS, Segment, counted_bits};
use multiversion::multiversion;
use serde::{Deserialize, Serialize};

/// Which counters of a library are not zero, one bit each, in the order of their addresses.
///
/// A counter stands for an edge of a flow graph, and its bit says whether the edge was taken. A
/// cover also knows the edges without a counter, but a trace needs no solver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    words: Vec<u64>,
}

impl Trace {
    /// Returns how many bits are set.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns how many bits are set here and not in the other trace.
    pub fn beyond(&self, other: &Trace) -> u64 {
        let rest = other.words.iter().copied().chain(std::iter::repeat(0));
        let beyond = self.words.iter().zip(rest).map(|(word, known)| word & !known);
        // Most words have none, and counting takes longer than finding out.
        beyond.filter(|word| *word != 0).map(|word| u64::from(word.count_ones())).sum()
    }

    /// Clears the bits that are set in the other trace.
    pub fn remove(&mut self, other: &Trace) {
        for (word, known) in self.words.iter_mut().zip(&other.words) {
            *word &= !known;
        }
    }

    /// Clears all bits.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
    }

    /// Adds the bits of these counters, and sets the counters to zero.
    pub(crate) fn take(&mut self, counters: &mut [u8]) {
        let (counters, _) = counters.as_chunks_mut::<8>();
        let (segments, rest) = counters.as_chunks_mut();
        take(segments, &mut self.words);
        if !rest.is_empty() {
            let mut last = [Counter::default(); SEGMENT_COUNTERS];
            last[..rest.len()].copy_from_slice(rest);
            take(std::slice::from_mut(&mut last), &mut self.words);
            rest.fill(Counter::default());
        }
    }
}

/// Moves the counters of words to their bits. Most of a library does not run, so most words are zero.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn take(segments: &mut [Segment], words: &mut Vec<u64>) {
    words.extend(segments.iter_mut().map(|segment| {
        let all = segment.iter().fold(0, |all, counter| all | u64::from_ne_bytes(*counter));
        if all == 0 {
            return 0;
        }
        let word = counted_bits(segment);
        *segment = [Counter::default(); SEGMENT_COUNTERS];
        word
    }));
}

impl BitAndAssign<&Trace> for Trace {
    fn bitand_assign(&mut self, other: &Trace) {
        let rest = other.words.iter().copied().chain(std::iter::repeat(0));
        for (word, other) in self.words.iter_mut().zip(rest) {
            *word &= other;
        }
    }
}

impl BitOrAssign<&Trace> for Trace {
    fn bitor_assign(&mut self, other: &Trace) {
        self.words.resize(self.words.len().max(other.words.len()), 0);
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }
}

impl BitXorAssign<&Trace> for Trace {
    fn bitxor_assign(&mut self, other: &Trace) {
        self.words.resize(self.words.len().max(other.words.len()), 0);
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word ^= more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(counted: &[usize], all: usize) -> Vec<u8> {
        let number = |at| if counted.contains(&at) { 1_u64 << (at % 64) } else { 0 };
        (0..all).flat_map(|at| number(at).to_ne_bytes()).collect()
    }

    #[test]
    fn each_counter_sets_its_bit_and_is_cleared() {
        let (mut trace, counted) = (Trace::default(), [0, 63, 64, 200, 299]);
        let mut memory = counters(&counted, 300);
        trace.take(&mut memory);
        assert!(memory.iter().all(|byte| *byte == 0));
        let bits = (0..300).filter(|at| trace.words[at / 64] >> (at % 64) & 1 == 1);
        assert_eq!(bits.collect::<Vec<_>>(), counted);
        assert_eq!(trace.count(), 5);
    }

    #[test]
    fn new_bits_are_counted() {
        let trace = |counted: &[usize]| {
            let mut trace = Trace::default();
            trace.take(&mut counters(counted, 130));
            trace
        };
        let (mut known, mut difference) = (Trace::default(), trace(&[1, 2, 129]));
        difference ^= &trace(&[2, 3]);
        assert_eq!(difference, trace(&[1, 3, 129]));
        assert_eq!(difference.beyond(&known), 3);
        known |= &trace(&[3]);
        assert_eq!(difference.beyond(&known), 2);
        difference.remove(&known);
        assert_eq!(difference, trace(&[1, 129]));
        difference &= &trace(&[129]);
        assert_eq!(difference, trace(&[129]));
        difference &= &Trace::default();
        assert_eq!(difference.count(), 0);
    }
}
