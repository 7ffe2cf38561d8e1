//! A checksum at the speed of memory, for files that metacov writes and reads itself.

/// A 64-bit checksum. It notices damage; it does not resist intent.
///
/// Four lanes take 8 bytes each in turn. A lane is a bijection of its state for any input, and of
/// its input for any state, so a change of at most 8 aligned bytes always changes the result of its
/// lane.
pub(crate) struct Checksum {
    lanes: [u64; LANES],
    bytes: u64,
}

const LANES: usize = 4;

/// Odd, with bits in all bytes: the golden ratio, and a prime of 64 bits.
const ADDED: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

impl Checksum {
    /// A checksum that differs from those of other seeds.
    pub(crate) fn new(seed: u64) -> Self {
        let lane = |number: u64| (seed.wrapping_mul(LANES as u64) + number + 1).wrapping_mul(ADDED);
        Checksum { lanes: [0, 1, 2, 3].map(lane), bytes: 0 }
    }

    /// Adds bytes, and where they end.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes = mix(self.bytes, bytes.len() as u64);
        let (rows, rest) = bytes.as_chunks::<{ 8 * LANES }>();
        for row in rows {
            for (lane, word) in self.lanes.iter_mut().zip(row.as_chunks::<8>().0) {
                *lane = mix(*lane, u64::from_le_bytes(*word));
            }
        }
        for (lane, word) in (0..).map(|number| number % LANES).zip(rest.chunks(8)) {
            let mut padded = [0; 8];
            padded[..word.len()].copy_from_slice(word);
            self.lanes[lane] = mix(self.lanes[lane], u64::from_le_bytes(padded));
        }
    }

    /// The checksum of everything that was added.
    pub(crate) fn finish(self) -> u64 {
        self.lanes.into_iter().fold(self.bytes, mix)
    }
}

fn mix(state: u64, word: u64) -> u64 {
    let mixed = (state ^ word).wrapping_mul(FACTOR);
    mixed ^ mixed >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(seed: u64, bytes: &[u8]) -> u64 {
        let mut checksum = Checksum::new(seed);
        checksum.add(bytes);
        checksum.finish()
    }

    #[test]
    fn every_changed_byte_and_every_other_length_is_noticed() {
        let bytes: Vec<u8> = (0..100).map(|number: u8| number.wrapping_mul(37)).collect();
        let right = of(0, &bytes);
        assert_ne!(of(1, &bytes), right);
        for at in 0..bytes.len() {
            assert_ne!(of(0, &bytes[..at]), right);
            for flip in 1..=u8::MAX {
                let mut other = bytes.clone();
                other[at] ^= flip;
                assert_ne!(of(0, &other), right);
            }
        }
        assert_ne!(of(0, &[0; 8]), of(0, &[0; 9]));
        assert_ne!(of(0, &[0; 64]), of(0, &[0; 72]));
    }

    #[test]
    fn swapped_words_are_noticed() {
        let bytes: Vec<u8> = (0..64).collect();
        for (left, right) in [(0, 1), (0, 4), (1, 7)] {
            let mut other = bytes.clone();
            for byte in 0..8 {
                other.swap(8 * left + byte, 8 * right + byte);
            }
            assert_ne!(of(0, &other), of(0, &bytes));
        }
    }
}
