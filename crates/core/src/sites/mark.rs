//! What a producer reports about the build at a site.

use serde::{Deserialize, Serialize};

/// Distinguishes a site's code from other code at the same place: the hash of a source line, or of
/// the shape of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// What was hashed, and by which producer: not zero.
    pub producer: u16,
    /// The translation unit that contains the code, as a hash of its name; zero if the producer
    /// does not name units, or reports the same for the code in all of them.
    pub unit: u32,
    hash: u64,
    has_versions: bool,
}

impl Mark {
    /// The bits of a hash that are kept.
    const HASH_BITS: u64 = (1 << 48) - 1;
    /// The bit of a code that says that there are several versions.
    const VERSIONS_BIT: u64 = 1 << 48;

    /// A mark of the code in a unit.
    pub fn new(producer: u16, unit: u32, hash: u64) -> Self {
        let hash = hash & Mark::HASH_BITS;
        Mark { producer, unit, hash, has_versions: hash == 0 }
    }

    /// A mark for code that has several versions in units of one name, such as an inline function
    /// that was compiled with different macros. It agrees with every mark of its kind.
    #[must_use]
    pub fn ambiguous(self) -> Self {
        Mark { hash: 0, has_versions: true, ..self }
    }

    /// Whether it agrees with every mark of its kind.
    pub fn is_ambiguous(self) -> bool {
        self.hash == 0
    }

    /// Whether another version of the code is known, in another unit or in one of the same name.
    pub fn has_versions(self) -> bool {
        self.has_versions
    }

    /// The hash, cut to 48 bits; zero if the mark is ambiguous.
    pub fn hash(self) -> u64 {
        self.hash
    }

    /// The mark of code that has both marks, whichever comes first; none if the builds are
    /// different. Marks of different kinds are not compared; the one with the smaller kind is kept.
    #[must_use]
    pub fn unite(self, other: Mark) -> Option<Mark> {
        let has_versions = self.has_versions || other.has_versions;
        let differ = self.hash != other.hash;
        if self.kind() == other.kind() {
            let is_ambiguous = self.is_ambiguous() || other.is_ambiguous();
            let hash = if is_ambiguous { 0 } else { self.hash };
            return (!differ || is_ambiguous).then_some(Mark { hash, has_versions, ..self });
        }
        let has_versions = has_versions || self.producer == other.producer && differ;
        let kept = if self.kind() < other.kind() { self } else { other };
        Some(Mark { has_versions, ..kept })
    }

    /// Producer and unit: marks of different kinds cannot be compared.
    pub fn kind(self) -> u64 {
        u64::from(self.unit) << u16::BITS | u64::from(self.producer)
    }

    /// The hash and whether there are several versions, in one number; zero if the mark is
    /// ambiguous.
    pub fn code(self) -> u64 {
        let is_flagged = self.has_versions && !self.is_ambiguous();
        self.hash | if is_flagged { Mark::VERSIONS_BIT } else { 0 }
    }

    /// The mark of this kind and code, if there is such a kind.
    pub fn of_kind(kind: u64, code: u64) -> Option<Self> {
        let unit = u32::try_from(kind >> u16::BITS).ok()?;
        let [low, high, ..] = kind.to_le_bytes();
        let producer = u16::from_le_bytes([low, high]);
        let mark = Mark::new(producer, unit, code);
        let has_versions = mark.has_versions || code & Mark::VERSIONS_BIT != 0;
        (producer != 0).then_some(Mark { has_versions, ..mark })
    }
}
