//! A suite of pairs, folded.

use std::collections::BTreeMap;

use crate::{
    BranchNaming, Criteria, Criterion, Failure, Group, Operation, Reading, SiteTable, Tally,
    Verdict,
};

/// A folded suite: one tally for each relation, over one table.
pub struct Suite {
    /// All sites.
    pub table: SiteTable,
    /// The set operation between the covers of each pair.
    pub operation: Operation,
    /// Whether the instances of templates are distinguished.
    pub per_instance: bool,
    /// By the name of the relation.
    pub relations: BTreeMap<String, Tally>,
    /// What the reports of all sides have in common.
    pub agreement: SharedCriteria,
}

impl Suite {
    /// All relations together.
    pub fn total(&self) -> Tally {
        let mut total = Tally::of(&self.table);
        self.relations.values().for_each(|tally| total.merge(tally));
        total
    }

    /// Excludes sites that ran in some repetitions of an execution and not in others.
    pub fn leave_out_flaky(&mut self) {
        for site in self.total().flaky.iter() {
            self.table.exclude(site);
        }
    }

    /// Returns the criteria that all sides report and name alike: those that can be compared.
    pub fn criteria(&self) -> Criteria {
        self.agreement.criteria()
    }
}

/// A suite while its groups are folded, by one worker of several or from a run file. The table may
/// still grow.
pub struct SuiteFold {
    operation: Operation,
    /// The tally that each relation starts from.
    empty: Tally,
    relations: BTreeMap<String, Tally>,
    agreement: SharedCriteria,
}

impl SuiteFold {
    /// A fold of no groups.
    pub fn new(table: &SiteTable, operation: Operation) -> Self {
        let (relations, agreement) = (BTreeMap::new(), SharedCriteria::default());
        SuiteFold { operation, empty: Tally::of(table), relations, agreement }
    }

    /// Folds a group of a relation, or counts that a side of it failed. A group without a judge has
    /// no verdict.
    pub fn add(
        &mut self,
        relation: &str,
        outcome: Result<&Group<Reading>, Failure>,
        verdict: Option<&Verdict>,
    ) {
        let tally = match self.relations.get_mut(relation) {
            Some(tally) => tally,
            None => self.relations.entry(relation.to_owned()).or_insert(self.empty.clone()),
        };
        match outcome {
            Ok(group) => {
                self.agreement = self.agreement.meet(SharedCriteria::of(group));
                tally.add(group, self.operation);
                tally.judged += u64::from(verdict.is_some());
                tally.violated += u64::from(matches!(verdict, Some(Verdict::Violated(_))));
            }
            Err(failure) => tally.add_failure(failure),
        }
    }

    /// Adds all groups of another fold over the same table.
    pub fn merge(&mut self, other: SuiteFold) {
        for (relation, tally) in other.relations {
            match self.relations.get_mut(&relation) {
                Some(known) => known.merge(&tally),
                None => drop(self.relations.insert(relation, tally)),
            }
        }
        self.agreement = self.agreement.meet(other.agreement);
    }

    /// The suite, once all groups are folded.
    pub fn finish(self, table: SiteTable, per_instance: bool) -> Suite {
        let SuiteFold { operation, relations, agreement, .. } = self;
        Suite { table, operation, per_instance, relations, agreement }
    }
}

/// Which criteria, and which ways of naming branches, all sides share.
///
/// A side that reports no branches at all is not a side without branches: an exclusive-or with it
/// would count every branch of the other. So a criterion counts only if every side reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedCriteria {
    told_by_all: Option<Criteria>,
    told_by_any: Criteria,
    naming: Option<BranchNaming>,
}

impl SharedCriteria {
    /// Returns what the sides of one group agree on.
    pub fn of(group: &Group<Reading>) -> Self {
        group.sides().iter().fold(SharedCriteria::default(), |agreement, side| {
            agreement.meet(SharedCriteria {
                told_by_all: Some(side.criteria),
                told_by_any: side.criteria,
                naming: (!side.naming.is_empty()).then_some(side.naming),
            })
        })
    }

    /// Combines two agreements. Commutative and associative, so the order of pairs does not matter.
    #[must_use]
    pub fn meet(self, other: Self) -> Self {
        SharedCriteria {
            told_by_all: meet(self.told_by_all, other.told_by_all, Criteria::intersection),
            told_by_any: self.told_by_any.union(other.told_by_any),
            naming: meet(self.naming, other.naming, BranchNaming::intersection),
        }
    }

    /// The criteria that can be compared.
    pub fn criteria(self) -> Criteria {
        let mut criteria = self.told_by_all.unwrap_or_default();
        if self.names_branches_in_different_ways() {
            criteria.remove(Criterion::Branch);
        }
        criteria
    }

    /// The criteria that some sides report and others do not.
    pub fn reported_by_some(self) -> Criteria {
        self.told_by_any.without(self.told_by_all.unwrap_or_default())
    }

    /// The criteria that no side reports, of those that most producers report.
    pub fn reported_by_none(self) -> Criteria {
        let usual = [Criterion::Line, Criterion::Branch, Criterion::Function];
        usual.into_iter().collect::<Criteria>().without(self.told_by_any)
    }

    /// Whether some sides name their branches in another way than others.
    pub fn names_branches_in_different_ways(self) -> bool {
        self.naming.is_some_and(BranchNaming::is_empty)
    }
}

fn meet<T>(left: Option<T>, right: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(both(left, right)),
        (left, right) => left.or(right),
    }
}
