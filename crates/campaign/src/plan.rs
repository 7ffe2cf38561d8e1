//! Which tests there are.

/// Which tests, on how many databases.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seed of all.
    pub seed: u64,
    /// The relations, as they stand in the table of all.
    pub relations: Vec<usize>,
    /// How many pairs of each.
    pub pairs: u64,
    /// How many databases they are spread over.
    pub databases: u64,
}

impl Plan {
    /// How many pairs in all.
    pub fn groups(&self) -> u64 {
        self.pairs * self.relations.len() as u64
    }

    /// The tests on a database: every relation has its share.
    pub(crate) fn tests(&self, database: u64) -> impl Iterator<Item = (usize, u64)> {
        let step = usize::try_from(self.databases).unwrap_or(usize::MAX);
        let numbers = (database..self.pairs).step_by(step);
        self.relations
            .iter()
            .flat_map(move |relation| numbers.clone().map(|number| (*relation, number)))
    }

    /// The place of a test among all.
    pub(crate) fn place(&self, relation: usize, number: u64) -> u64 {
        let at = self.relations.iter().position(|known| *known == relation).unwrap_or(0);
        at as u64 * self.pairs + number
    }
}
