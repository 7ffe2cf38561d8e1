//! The set operation between the two sides of a pair.

use std::fmt;

/// The set operation between the covers of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `a ^ b`: what one side ran and the other did not. Metamorphic coverage.
    #[default]
    Xor,
    /// `a - b`: what only the first side ran.
    Sub,
    /// `a & b`: what both ran.
    And,
    /// `a | b`: what either ran.
    Or,
}

impl Operation {
    /// All operations.
    pub const ALL: [Operation; 4] = [Operation::Xor, Operation::Sub, Operation::And, Operation::Or];

    /// Returns the name that users type and read.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Xor => "xor",
            Operation::Sub => "sub",
            Operation::And => "and",
            Operation::Or => "or",
        }
    }

    /// The operation on one word of bits of each side.
    pub(crate) fn on_words(self, a: u64, b: u64) -> u64 {
        match self {
            Operation::Xor => a ^ b,
            Operation::Sub => a & !b,
            Operation::And => a & b,
            Operation::Or => a | b,
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
