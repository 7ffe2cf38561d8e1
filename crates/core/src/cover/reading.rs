//! What the coverage files of one side report.

use crate::{BranchNaming, Cover, Criteria, SiteTable};

/// What a producer reports about one execution: which sites exist, and which of them ran.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The sites that ran.
    pub executed: Cover,
    /// The sites that the report lists, whether they ran or not.
    pub known: Cover,
    /// The sites that ran in some repetitions of an execution and not in others.
    pub flaky: Cover,
    /// The criteria of the sites that the report lists.
    pub criteria: Criteria,
    /// How the report names its branches.
    pub naming: BranchNaming,
}

impl Reading {
    /// Creates a reading that lists no site.
    pub fn of(table: &SiteTable) -> Self {
        Reading {
            executed: Cover::of(table),
            known: Cover::of(table),
            flaky: Cover::of(table),
            criteria: Criteria::default(),
            naming: BranchNaming::default(),
        }
    }

    /// Adds another input of the same side: a side with several inputs ran the union of their
    /// sites.
    pub fn unite(&mut self, other: &Reading) {
        self.executed |= &other.executed;
        self.known |= &other.known;
        self.flaky |= &other.flaky;
        self.criteria = self.criteria.union(other.criteria);
        self.naming = self.naming.union(other.naming);
    }

    /// Adds another run of the same input. Sites that only some of the runs ran are flaky: the
    /// difference `MC(a, a)` of an execution with itself, which should be empty.
    pub fn repeat(&mut self, other: &Reading) {
        let mut flaky = self.executed.clone();
        flaky ^= &other.executed;
        self.unite(other);
        self.flaky |= &flaky;
    }
}
