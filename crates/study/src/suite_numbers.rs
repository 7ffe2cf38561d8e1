//! The numbers of one suite.

use metacov_core::{Criterion, Suite, Tally, total};

/// The name for all relations of a suite together.
pub use metacov_run::ALL;

/// The numbers of a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteNumbers {
    /// Its name: that of its file.
    pub name: String,
    /// A fingerprint of all its code.
    pub build: String,
    /// By relation, and then by criterion.
    pub measurements: Vec<Measurement>,
}

/// The coverage of the pairs of one relation, by one criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// The relation, or [`ALL`].
    pub relation: String,
    /// The criterion.
    pub criterion: Criterion,
    /// How many pairs were measured.
    pub pairs: u64,
    /// How many pairs were not measured, because a side failed.
    pub failed: u64,
    /// How many sites there are.
    pub sites: u64,
    /// How many sites any side ran.
    pub executed: u64,
    /// How many sites are in the difference of at least one pair.
    pub mc_sites: u64,
}

impl SuiteNumbers {
    /// Returns the numbers of a suite: of each relation, and of all if there are several. Criteria
    /// of which only a part of the code is known have no percentages, and are left out, as are
    /// relations without a measured pair.
    pub fn of(name: String, suite: &Suite) -> Self {
        let mut measurements = Vec::new();
        let criteria = suite.criteria().without(suite.table.partial());
        let mut add = |relation: &str, tally: &Tally| {
            if tally.groups == 0 {
                return;
            }
            let summaries = total(&suite.table, tally);
            let reported = criteria.iter().filter(|criterion| summaries[*criterion].sites > 0);
            measurements.extend(reported.map(|criterion| Measurement {
                relation: relation.to_owned(),
                criterion,
                pairs: tally.pairs,
                failed: tally.all_groups() - tally.groups,
                sites: summaries[criterion].sites,
                executed: summaries[criterion].executed(),
                mc_sites: summaries[criterion].result,
            }));
        };
        for (relation, tally) in &suite.relations {
            add(relation, tally);
        }
        if suite.relations.len() > 1 {
            add(ALL, &suite.total());
        }
        SuiteNumbers { name, build: suite.table.build_id().to_string(), measurements }
    }

    /// The measurement of a relation by a criterion, if there is one.
    pub fn get(&self, relation: &str, criterion: Criterion) -> Option<&Measurement> {
        let is = |of: &&Measurement| of.relation == relation && of.criterion == criterion;
        self.measurements.iter().find(is)
    }
}

impl Measurement {
    /// Returns the executed sites in percent of all code.
    pub fn coverage(&self) -> f64 {
        percent(self.executed, self.sites)
    }

    /// Returns metamorphic coverage in percent of all code.
    pub fn mc(&self) -> f64 {
        percent(self.mc_sites, self.sites)
    }
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^32 sites: exact in an f64")]
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}
