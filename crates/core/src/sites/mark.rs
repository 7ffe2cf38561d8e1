//! What a producer reports about the build at a site.

use serde::{Deserialize, Serialize};

/// Distinguishes a site's code from other code at the same place: the hash of a source line, or of
/// the shape of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// What was hashed, and by which producer: not zero.
    pub producer: u16,
    /// The translation unit that the code is compiled in, as a hash of its name; zero where the
    /// producer does not name units, or reports the same for the code in all of them.
    pub unit: u32,
    hash: u64,
}

impl Mark {
    /// The bits of a hash that are kept.
    const HASH_BITS: u64 = (1 << 48) - 1;

    /// A mark of the code in a unit.
    pub fn new(producer: u16, unit: u32, hash: u64) -> Self {
        Mark { producer, unit, hash: hash & Mark::HASH_BITS }
    }

    /// A mark for code that has several versions in units of one name, such as an inline function
    /// that was compiled with different macros. It agrees with every mark of its kind.
    #[must_use]
    pub fn ambiguous(self) -> Self {
        Mark { hash: 0, ..self }
    }

    /// Whether it agrees with every mark of its kind.
    pub fn is_ambiguous(self) -> bool {
        self.hash == 0
    }

    /// The hash, cut to 48 bits; zero if the mark is ambiguous.
    pub fn hash(self) -> u64 {
        self.hash
    }

    /// Producer and unit: marks of different kinds cannot be compared.
    pub fn kind(self) -> u64 {
        u64::from(self.unit) << u16::BITS | u64::from(self.producer)
    }

    /// The mark of this kind and hash, if there is such a kind.
    pub fn of_kind(kind: u64, hash: u64) -> Option<Self> {
        let unit = u32::try_from(kind >> u16::BITS).ok()?;
        let [low, high, ..] = kind.to_le_bytes();
        let producer = u16::from_le_bytes([low, high]);
        (producer != 0).then(|| Mark::new(producer, unit, hash))
    }
}
