//! The tests of a run.

/// Which tests to run, on how many states.
#[derive(Clone, Debug)]
pub struct TestPlan {
    /// The seed of all states and tests.
    pub seed: u64,
    /// The relations, as positions in the method's table.
    pub relations: Vec<usize>,
    /// How many pairs of each relation.
    pub pairs: u64,
    /// How many states they are distributed over.
    pub subjects: u64,
}

impl TestPlan {
    /// Returns how many pairs there are in all.
    pub fn groups(&self) -> u64 {
        self.pairs * self.relations.len() as u64
    }

    /// The tests on a state: a share of each relation.
    pub(crate) fn tests(&self, subject: u64) -> impl Iterator<Item = (usize, u64)> {
        let step = usize::try_from(self.subjects).unwrap_or(usize::MAX);
        let numbers = (subject..self.pairs).step_by(step);
        self.relations
            .iter()
            .flat_map(move |relation| numbers.clone().map(|number| (*relation, number)))
    }

    /// The place of a test among all tests.
    pub(crate) fn place(&self, relation: usize, number: u64) -> u64 {
        let at = self.relations.iter().position(|known| *known == relation).unwrap_or(0);
        at as u64 * self.pairs + number
    }
}
