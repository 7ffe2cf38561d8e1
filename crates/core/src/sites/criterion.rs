//! Coverage criteria: lines, branches, functions, regions, blocks.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A coverage criterion. Every site belongs to exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// A source line with code.
    Line,
    /// One outcome of a decision.
    Branch,
    /// A function.
    Function,
    /// Straight-line code without a jump in or out: the paper's "statement".
    Region,
    /// A basic block of a function's flow graph, as the compiler defines it.
    Block,
}

impl Criterion {
    /// All criteria, in the order in which they are shown.
    pub const ALL: [Criterion; 5] = [
        Criterion::Line,
        Criterion::Branch,
        Criterion::Function,
        Criterion::Region,
        Criterion::Block,
    ];

    /// Returns the plural of the name.
    pub fn plural(self) -> &'static str {
        match self {
            Criterion::Line => "lines",
            Criterion::Branch => "branches",
            Criterion::Function => "functions",
            Criterion::Region => "regions",
            Criterion::Block => "blocks",
        }
    }

    /// Returns the name that users type and read.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Line => "line",
            Criterion::Branch => "branch",
            Criterion::Function => "function",
            Criterion::Region => "region",
            Criterion::Block => "block",
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Criterion {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let mut all = Criterion::ALL.into_iter();
        all.find(|criterion| criterion.name() == word)
            .ok_or_else(|| format!("`{word}` is not a criterion ({})", Criteria::all()))
    }
}

/// A set of criteria.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criteria(u8);

impl Criteria {
    /// Every criterion.
    pub fn all() -> Self {
        Criterion::ALL.into_iter().collect()
    }

    /// Adds a criterion.
    pub fn insert(&mut self, criterion: Criterion) {
        self.0 |= 1 << criterion as u8;
    }

    /// Removes a criterion.
    pub fn remove(&mut self, criterion: Criterion) {
        self.0 &= !(1 << criterion as u8);
    }

    /// Whether it is in the set.
    pub fn contains(self, criterion: Criterion) -> bool {
        self.0 & (1 << criterion as u8) != 0
    }

    /// Those in either set.
    #[must_use]
    pub fn union(self, other: Criteria) -> Self {
        Criteria(self.0 | other.0)
    }

    /// Those in both sets.
    #[must_use]
    pub fn intersection(self, other: Criteria) -> Self {
        Criteria(self.0 & other.0)
    }

    /// Those of this set that are not in the other.
    #[must_use]
    pub fn without(self, other: Criteria) -> Self {
        Criteria(self.0 & !other.0)
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// One bit for each criterion, in the order of [`Criterion::ALL`]: for storing.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The set of these bits, if each stands for a criterion.
    pub fn from_bits(bits: u8) -> Option<Self> {
        (bits & !Criteria::all().0 == 0).then_some(Criteria(bits))
    }

    /// Those in the set, in the order in which they are shown.
    pub fn iter(self) -> impl Iterator<Item = Criterion> {
        Criterion::ALL.into_iter().filter(move |criterion| self.contains(*criterion))
    }
}

impl fmt::Display for Criteria {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Criterion::name).collect();
        f.pad(&names.join(", "))
    }
}

impl FromIterator<Criterion> for Criteria {
    fn from_iter<I: IntoIterator<Item = Criterion>>(criteria: I) -> Self {
        let mut set = Criteria::default();
        criteria.into_iter().for_each(|criterion| set.insert(criterion));
        set
    }
}
