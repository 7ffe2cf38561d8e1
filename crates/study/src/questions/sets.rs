//! Compares the MC sites of two groups of suites.

use std::collections::BTreeMap;

use metacov_core::{
    BranchNaming, BuildMismatch, Cover, Criteria, Group, Operation, Pair, Reading, SharedCriteria,
    SiteTable, Suite, Tally, absorb_run, same_build,
};

/// The MC sites of the suites of a group, by relation, over one table.
#[derive(Default)]
pub struct McSites {
    table: SiteTable,
    relations: BTreeMap<String, Cover>,
    agreement: SharedCriteria,
    per_instance: bool,
}

impl McSites {
    /// Adds a suite. Another build is an error.
    pub fn add(&mut self, suite: &Suite) -> Result<(), BuildMismatch> {
        let before = everything(&self.table);
        let numbers = absorb_run(&mut self.table, &suite.table)?;
        if !self.relations.is_empty() {
            same_build(&self.table, &before, &numbers.cover(everything(&suite.table)))?;
        }
        self.agreement = self.agreement.meet(suite.agreement);
        self.per_instance = suite.per_instance;
        for (relation, tally) in &suite.relations {
            let mc_sites = numbers.cover(tally.mc_sites());
            match self.relations.get_mut(relation) {
                Some(known) => *known |= &mc_sites,
                None => drop(self.relations.insert(relation.clone(), mc_sites)),
            }
        }
        Ok(())
    }
}

/// Represents two groups as a suite: side a of a relation is the MC sites of the first group, side
/// b those of the second. So "a only" contains the MC sites of the first group alone, and all
/// reports and writers of suites can be used. The tally is that of all relations together.
pub fn side_by_side(first: &McSites, second: &McSites) -> Result<(Suite, Tally), BuildMismatch> {
    let mut table = SiteTable::new();
    let numbers = [absorb_run(&mut table, &first.table)?, absorb_run(&mut table, &second.table)?];
    let agreement = first.agreement.meet(second.agreement);
    let criteria = agreement.criteria();
    let [known, other] = [(first, &numbers[0]), (second, &numbers[1])]
        .map(|(group, numbers)| numbers.cover(everything(&group.table)));
    same_build(&table, &known, &other)?;
    let known = everything(&table);
    let side = |executed: Cover| reading(executed, &known, criteria);
    let mut relations = BTreeMap::new();
    let mut all = [Cover::of(&table), Cover::of(&table)];
    let names = first.relations.keys().chain(second.relations.keys());
    for name in names {
        if relations.contains_key(name) {
            continue;
        }
        let [a, b] = [(first, &numbers[0]), (second, &numbers[1])].map(|(group, numbers)| {
            let mc_sites = group.relations.get(name).cloned();
            mc_sites.map_or_else(|| Cover::of(&table), |mc_sites| numbers.cover(mc_sites))
        });
        all[0] |= &a;
        all[1] |= &b;
        relations.insert(name.clone(), tally(&table, side(a), side(b)));
    }
    let [a, b] = all;
    let total = tally(&table, side(a), side(b));
    let (operation, per_instance) = (Operation::Xor, first.per_instance);
    Ok((Suite { table, operation, per_instance, relations, agreement }, total))
}

fn everything(table: &SiteTable) -> Cover {
    let mut all = Cover::of(table);
    for (id, _) in table.all_sites() {
        all.insert(id);
    }
    all
}

fn tally(table: &SiteTable, a: Reading, b: Reading) -> Tally {
    let mut tally = Tally::of(table);
    tally.add(&Group::from(Pair { a, b }), Operation::Xor);
    tally
}

fn reading(executed: Cover, known: &Cover, criteria: Criteria) -> Reading {
    let mut flaky = executed.clone();
    flaky.clear();
    Reading { executed, known: known.clone(), flaky, criteria, naming: BranchNaming::default() }
}
