//! What can be covered, and how sites are distinguished.

use serde::{Deserialize, Serialize};

use crate::cover::BITS;
use crate::{Criterion, Symbol};

/// The number of a site in its [`SiteTable`](crate::SiteTable): dense, from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SiteId(u32);

impl SiteId {
    pub(crate) fn new(index: usize) -> Self {
        SiteId(u32::try_from(index).expect("a table of 2^32 sites does not fit in memory"))
    }

    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns its position in a cover: the word, and the bit in it.
    #[inline]
    pub fn place(self) -> (usize, u64) {
        (self.index() / BITS, 1 << (self.index() % BITS))
    }
}

/// The number of a source file in its [`SiteTable`](crate::SiteTable).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileId(u32);

impl FileId {
    pub(crate) fn new(index: usize) -> Self {
        FileId(u32::try_from(index).expect("a table of 2^32 files does not fit in memory"))
    }

    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place in a build that runs or does not run. Two sites are the same if and only if all their
/// parts are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Site {
    /// The source file.
    pub file: FileId,
    /// The line it is on (for a function: where it starts). Zero if the producer has none.
    pub line: u32,
    /// The kind of the site.
    pub element: Element,
    /// The function instance it belongs to, if template instances are distinguished; otherwise
    /// [`Symbol::NONE`].
    pub instance: Symbol,
}

/// The kind of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Element {
    /// The line as a whole.
    Line,
    /// An outcome of a decision on the line.
    Branch(BranchKey),
    /// The function of this name: the linker's, where the producer reports it.
    Function(Symbol),
    /// A region that starts on the line.
    Region(Span),
    /// A block of the flow graph of a function.
    Block {
        /// The function's name for the linker.
        function: Symbol,
        /// Its number in the compiler's flow graph.
        number: u32,
    },
}

/// Where a region begins and ends, besides its first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Last column.
    pub end_column: u32,
}

/// What distinguishes the branches of one line. Producers name them in different ways, which cannot
/// be compared: see [`BranchNaming`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BranchKey {
    /// The n-th on its line (gcov's JSON before 14, lcov's conversion of it, gcovr before 8.4).
    Position(u32),
    /// Its number in gcov's text report, which counts calls on the line too (gcovr).
    Number(u32),
    /// An arc of the flow graph (gcov 14 and later). Functions that share a line may share block
    /// numbers, so equal arcs are counted.
    Arc {
        /// The block it leaves.
        source: u32,
        /// The block it enters.
        destination: u32,
        /// How many arcs with the same blocks precede it on the line.
        occurrence: u32,
    },
    /// A block and a name within it (lcov, if it has more than one block or free text).
    Label {
        /// The block.
        block: u32,
        /// The branch's text.
        name: Symbol,
    },
    /// A jump to a line; negative: out of the code object that starts there (coverage.py).
    Jump(i32),
    /// One outcome of a condition (LLVM).
    Outcome {
        /// The condition.
        span: Span,
        /// Whether this is the outcome "true".
        taken: bool,
    },
    /// An alternative of a numbered decision (Istanbul).
    Alternative {
        /// The decision.
        decision: u32,
        /// The alternative.
        index: u32,
    },
}

/// The ways of naming branches that occur in a set of sites. Branches that are named in different
/// ways cannot be compared: each would count as known to one side only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchNaming(u8);

impl BranchNaming {
    /// Adds the way in which `key` is named.
    pub fn note(&mut self, key: BranchKey) {
        self.0 |= match key {
            BranchKey::Position(_) => 1,
            BranchKey::Arc { .. } => 2,
            BranchKey::Label { .. } => 4,
            BranchKey::Jump(_) => 8,
            BranchKey::Outcome { .. } => 16,
            BranchKey::Alternative { .. } => 32,
            BranchKey::Number(_) => 64,
        };
    }

    /// The ways of either set.
    #[must_use]
    pub fn union(self, other: BranchNaming) -> Self {
        BranchNaming(self.0 | other.0)
    }

    /// The ways that both sets share.
    #[must_use]
    pub fn intersection(self, other: BranchNaming) -> Self {
        BranchNaming(self.0 & other.0)
    }

    /// One bit for each way of naming, for storing.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The set of these bits, if each stands for a way of naming.
    pub fn from_bits(bits: u8) -> Option<Self> {
        (bits & 0x80 == 0).then_some(BranchNaming(bits))
    }

    /// Whether no branch is named at all.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Element {
    /// The criterion that counts it.
    pub fn criterion(self) -> Criterion {
        match self {
            Element::Line => Criterion::Line,
            Element::Branch(_) => Criterion::Branch,
            Element::Function(_) => Criterion::Function,
            Element::Region(_) => Criterion::Region,
            Element::Block { .. } => Criterion::Block,
        }
    }
}

impl Site {
    /// The criterion that counts it.
    pub fn criterion(&self) -> Criterion {
        self.element.criterion()
    }
}
