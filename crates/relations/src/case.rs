//! A test and the database that it is on, written down.

use crate::comparison::Comparison;

/// A pair on a database, in the words of SQLite's shell: commands of the shell stand among the statements, and begin
/// with a dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What makes the database; what fails is part of it.
    pub setup: Vec<String>,
    /// The statements of each side.
    pub sides: [Vec<String>; 2],
    /// Texts of which the sides are made up, as [`Test`](crate::Test) has them.
    pub parts: Vec<String>,
    /// How the results must agree.
    pub comparison: Comparison,
}

impl Case {
    /// How many statements it has.
    pub fn statements(&self) -> usize {
        self.setup.len() + self.sides.iter().map(Vec::len).sum::<usize>()
    }

    /// How long it is.
    pub fn bytes(&self) -> usize {
        self.setup.iter().chain(self.sides.iter().flatten()).map(|text| text.len() + 1).sum()
    }
}
