//! Compares groups of suites.

use std::collections::BTreeSet;

use metacov_core::{Criteria, Criterion};

use crate::stats::{
    Bootstrap, Interval, a12, coefficient_of_variation, mann_whitney, mean, standard_deviation,
};
use crate::suite_numbers::{ALL, SuiteNumbers};

/// Suites that were generated in the same way and differ only by chance.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteGroup {
    /// Its name.
    pub name: String,
    /// The suites.
    pub records: Vec<SuiteNumbers>,
}

/// The comparison of groups of suites.
#[derive(Clone, Debug, PartialEq)]
pub struct RunComparison {
    /// The names of the groups.
    pub groups: Vec<String>,
    /// By criterion, relation and group.
    pub rows: Vec<Row>,
    /// By criterion and group: how well a measure distinguishes the relations.
    pub sensitivities: Vec<Sensitivity>,
}

/// The suites of a group, by one relation and one criterion.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The criterion.
    pub criterion: Criterion,
    /// The relation, or all of them.
    pub relation: String,
    /// The index of the group among the names.
    pub group: usize,
    /// The smallest and the largest number of pairs of a suite.
    pub pairs: (u64, u64),
    /// Coverage in percent of all code.
    pub coverage: Sample,
    /// Metamorphic coverage in percent of all code.
    pub mc: Sample,
    /// The comparison of the metamorphic coverage with that of the first group or, with one group,
    /// of the relation that has most. None for the baseline itself.
    pub against: Option<Against>,
}

/// One number for each suite, with statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The numbers, in the order of the suites.
    pub values: Vec<f64>,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation; none if there is one suite.
    pub deviation: Option<f64>,
    /// Their coefficient of variation: the influence of chance on one suite.
    pub variation: Option<f64>,
    /// A confidence interval of the mean.
    pub interval: Option<Interval>,
}

/// One sample compared with another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Against {
    /// Vargha and Delaney's effect size: the probability that a suite has more than one of the
    /// others.
    pub a12: f64,
    /// The probability of such a difference by chance (Mann and Whitney, two-sided).
    pub p: f64,
}

/// How well a measure distinguishes the relations of a group: the paper's Q.2.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The criterion.
    pub criterion: Criterion,
    /// The index of the group among the names.
    pub group: usize,
    /// How many relations there are.
    pub relations: usize,
    /// The coefficient of variation of the relations' mean coverages.
    pub coverage: Variation,
    /// The coefficient of variation of the relations' mean metamorphic coverages.
    pub mc: Variation,
}

/// A coefficient of variation between relations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// The coefficient, of the means over all suites.
    pub value: f64,
    /// A confidence interval; none if there is one suite.
    pub interval: Option<Interval>,
}

/// Compares groups.
pub fn compare(groups: &[SuiteGroup], criteria: Criteria) -> RunComparison {
    let mut rows = Vec::new();
    let mut sensitivities = Vec::new();
    for criterion in criteria.iter() {
        let start = rows.len();
        for relation in relations(groups) {
            for (at, group) in groups.iter().enumerate() {
                rows.extend(row(at, group, &relation, criterion));
            }
        }
        hold_against(&mut rows[start..], groups.len() > 1);
        for at in 0..groups.len() {
            let of_group: Vec<&Row> =
                rows[start..].iter().filter(|row| row.group == at && row.relation != ALL).collect();
            sensitivities.extend(sensitivity(at, criterion, &of_group));
        }
    }
    let groups = groups.iter().map(|group| group.name.clone()).collect();
    RunComparison { groups, rows, sensitivities }
}

/// All relations by name, and [`ALL`] after them.
fn relations(groups: &[SuiteGroup]) -> Vec<String> {
    let records = groups.iter().flat_map(|group| &group.records);
    let names = records.flat_map(|record| &record.measurements).map(|of| of.relation.clone());
    let names: BTreeSet<String> = names.collect();
    let (all, mut others): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name == ALL);
    others.extend(all);
    others
}

fn row(at: usize, group: &SuiteGroup, relation: &str, criterion: Criterion) -> Option<Row> {
    let of: Vec<_> =
        group.records.iter().filter_map(|record| record.get(relation, criterion)).collect();
    let pairs = of.iter().map(|of| of.pairs);
    Some(Row {
        criterion,
        relation: relation.to_owned(),
        group: at,
        pairs: (pairs.clone().min()?, pairs.max()?),
        coverage: Sample::of(of.iter().map(|of| of.coverage()).collect())?,
        mc: Sample::of(of.iter().map(|of| of.mc()).collect())?,
        against: None,
    })
}

impl Sample {
    /// The sample of some values; none if there are no values.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        let interval = Bootstrap::default().of_mean(&values);
        Some(Sample {
            mean: mean(&values)?,
            deviation: standard_deviation(&values),
            variation: coefficient_of_variation(&values),
            interval,
            values,
        })
    }
}

/// Compares each row with its counterpart, among the rows of one criterion.
fn hold_against(rows: &mut [Row], several_groups: bool) {
    let best = rows
        .iter()
        .filter(|row| row.relation != ALL)
        .max_by(|left, right| left.mc.mean.total_cmp(&right.mc.mean))
        .cloned();
    let firsts: Vec<Row> = rows.iter().filter(|row| row.group == 0).cloned().collect();
    for row in rows {
        let other = if several_groups {
            firsts.iter().find(|first| first.relation == row.relation && row.group != 0)
        } else {
            best.as_ref().filter(|best| row.relation != ALL && best.relation != row.relation)
        };
        row.against = other.and_then(|other| Against::of(&row.mc.values, &other.mc.values));
    }
}

impl Against {
    /// Compares two samples; both need several values.
    fn of(values: &[f64], others: &[f64]) -> Option<Self> {
        if values.len() < 2 || others.len() < 2 {
            return None;
        }
        Some(Against { a12: a12(values, others)?, p: mann_whitney(values, others)?.p })
    }
}

/// The paper's Table "Coefficient of variation": of the relations' means. Its interval is computed
/// by drawing whole suites, whose relations ran on the same databases.
fn sensitivity(group: usize, criterion: Criterion, rows: &[&Row]) -> Option<Sensitivity> {
    let variation = |sample: fn(&Row) -> &Sample| {
        let samples: Vec<&[f64]> = rows.iter().map(|row| &*sample(row).values).collect();
        let suites = samples.first()?.len();
        let of_means = |drawn: &[usize]| {
            let mean_of =
                |values: &&[f64]| mean(&drawn.iter().map(|at| values[*at]).collect::<Vec<_>>());
            coefficient_of_variation(&samples.iter().map(mean_of).collect::<Option<Vec<_>>>()?)
        };
        let means: Vec<f64> = rows.iter().map(|row| sample(row).mean).collect();
        // If a relation is missing in a suite, suites cannot be drawn as a whole.
        let whole = samples.iter().all(|values| values.len() == suites);
        let bootstrap = Bootstrap { draws: 2_000, ..Bootstrap::default() };
        let interval = whole.then(|| bootstrap.interval(suites, of_means)).flatten();
        Some(Variation { value: coefficient_of_variation(&means)?, interval })
    };
    Some(Sensitivity {
        criterion,
        group,
        relations: rows.len(),
        coverage: variation(|row| &row.coverage)?,
        mc: variation(|row| &row.mc)?,
    })
}
