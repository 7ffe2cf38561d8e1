//! Compares groups of suites.

use std::collections::BTreeSet;

use metacov_core::{Criteria, Criterion};

use crate::stats::{
    Bootstrap, Interval, a12, coefficient_of_variation, holm, mann_whitney, mean,
    standard_deviation,
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
    /// The same, adjusted for all comparisons of the table (Holm).
    pub p_holm: f64,
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
    /// How many times that of coverage that of metamorphic coverage is. None without an interval: if there is one
    /// suite, or if the coefficient of coverage is not certainly above [`VARIATION_MIN`].
    pub ratio: Option<Ratio>,
}

/// A ratio, which always has an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The ratio.
    pub value: f64,
    /// Its confidence interval.
    pub interval: Interval,
}

/// Nothing is divided by a coefficient of variation below this: it is shown as 0.000, and rounding decides its value.
pub const VARIATION_MIN: f64 = 0.0005;

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
    correct(&mut rows);
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

/// Adjusts the probabilities of all comparisons.
fn correct(rows: &mut [Row]) {
    let against = || rows.iter().filter_map(|row| row.against);
    let adjusted = holm(&against().map(|of| of.p).collect::<Vec<_>>());
    let against = rows.iter_mut().filter_map(|row| row.against.as_mut());
    for (against, p_holm) in against.zip(adjusted) {
        against.p_holm = p_holm;
    }
}

impl Against {
    /// Compares two samples; both need several values.
    fn of(values: &[f64], others: &[f64]) -> Option<Self> {
        if values.len() < 2 || others.len() < 2 {
            return None;
        }
        let p = mann_whitney(values, others)?.p;
        Some(Against { a12: a12(values, others)?, p, p_holm: p })
    }
}

/// The paper's Table "Coefficient of variation": of the relations' means. Intervals come from
/// drawing whole suites, whose relations ran on the same databases.
fn sensitivity(group: usize, criterion: Criterion, rows: &[&Row]) -> Option<Sensitivity> {
    let coverage: Vec<&Sample> = rows.iter().map(|row| &row.coverage).collect();
    let mc: Vec<&Sample> = rows.iter().map(|row| &row.mc).collect();
    let suites = coverage.first()?.values.len();
    // Where a relation is missing in a suite, suites cannot be drawn as a whole.
    let whole = coverage.iter().all(|sample| sample.values.len() == suites);
    let interval = |statistic: &dyn Fn(&[usize]) -> Option<f64>| {
        let bootstrap = Bootstrap { draws: 2_000, ..Bootstrap::default() };
        whole.then(|| bootstrap.interval(suites, statistic)).flatten()
    };
    let variation = |samples: &[&Sample]| {
        let means: Vec<f64> = samples.iter().map(|sample| sample.mean).collect();
        let interval = interval(&|drawn| variation_of_means(samples, drawn));
        Some(Variation { value: coefficient_of_variation(&means)?, interval })
    };
    let (of_coverage, of_mc) = (variation(&coverage)?, variation(&mc)?);
    let ratio = |of_coverage: f64, of_mc: f64| {
        if of_coverage < VARIATION_MIN { f64::INFINITY } else { of_mc / of_coverage }
    };
    let interval_of_ratio = interval(&|drawn| {
        Some(ratio(variation_of_means(&coverage, drawn)?, variation_of_means(&mc, drawn)?))
    });
    let value = ratio(of_coverage.value, of_mc.value);
    let is_defined = |interval: &Interval| {
        value.is_finite() && interval.low.is_finite() && interval.high.is_finite()
    };
    let ratio = interval_of_ratio.filter(is_defined).map(|interval| Ratio { value, interval });
    Some(Sensitivity {
        criterion,
        group,
        relations: rows.len(),
        coverage: of_coverage,
        mc: of_mc,
        ratio,
    })
}

/// The coefficient of variation of the means of samples, each over the suites that were drawn.
fn variation_of_means(samples: &[&Sample], drawn: &[usize]) -> Option<f64> {
    let mean_of =
        |sample: &&Sample| mean(&drawn.iter().map(|at| sample.values[*at]).collect::<Vec<_>>());
    coefficient_of_variation(&samples.iter().map(mean_of).collect::<Option<Vec<_>>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measurement;

    /// Suites of 100,000 lines. For each relation, a count of lines executed and of MC sites for each suite.
    fn suites(relations: &[(&str, &[(u64, u64)])]) -> RunComparison {
        let number = relations[0].1.len();
        let records = (0..number).map(|at| SuiteNumbers {
            name: at.to_string(),
            build: "b".to_owned(),
            measurements: relations
                .iter()
                .map(|(relation, counts)| Measurement {
                    relation: (*relation).to_owned(),
                    criterion: Criterion::Line,
                    pairs: 100,
                    failed: 0,
                    sites: 100_000,
                    executed: counts[at].0,
                    mc_sites: counts[at].1,
                })
                .collect(),
        });
        let group = SuiteGroup { name: "one".to_owned(), records: records.collect() };
        compare(&[group], [Criterion::Line].into_iter().collect())
    }

    /// `study run` printed a ratio of 5167703433384495.0: the means are sums of the same numbers in another order.
    #[test]
    fn nothing_is_divided_by_the_noise_of_rounding() {
        let compared = suites(&[
            ("one", &[(40_111, 800), (40_237, 900), (39_919, 850)]),
            ("other", &[(39_919, 300), (40_111, 200), (40_237, 250)]),
            ("third", &[(40_237, 500), (39_919, 400), (40_111, 450)]),
        ]);
        let of = &compared.sensitivities[0];
        assert!(of.coverage.value < 1e-12 && of.mc.value > 0.5, "{of:?}");
        assert_eq!(of.ratio, None);
    }

    /// 238.7 was printed next to a coefficient of 0.000.
    #[test]
    fn nothing_is_divided_by_what_is_shown_as_zero() {
        let compared = suites(&[
            ("one", &[(40_000, 800), (40_001, 810)]),
            ("other", &[(40_020, 200), (40_021, 210)]),
        ]);
        let of = &compared.sensitivities[0];
        assert_eq!(format!("{:.3}", of.coverage.value), "0.000");
        assert!(of.coverage.value > 0.0 && of.coverage.interval.is_some());
        assert_eq!(of.ratio, None);
    }

    #[test]
    fn one_suite_has_no_ratio() {
        let compared = suites(&[("one", &[(40_000, 800)]), ("other", &[(30_000, 200)])]);
        assert_eq!(compared.sensitivities[0].ratio, None);
    }

    /// With four suites there are only 256 draws, so the distribution is known.
    #[test]
    fn the_interval_of_a_ratio_is_that_of_all_draws() {
        let one = [(40_000, 900), (41_500, 810), (40_700, 700), (42_000, 760)];
        let other = [(30_100, 400), (33_900, 300), (31_000, 350), (29_000, 280)];
        let compared = suites(&[("one", &one), ("other", &other)]);
        // Of two numbers x and y, the coefficient is |x - y| / sqrt(2) / ((x + y) / 2).
        let cv = |x: f64, y: f64| (x - y).abs() / 2.0_f64.sqrt() / f64::midpoint(x, y);
        let ratio = |draw: [usize; 4]| {
            let sum = |of: &[(u32, u32); 4], part: fn(&(u32, u32)) -> u32| {
                f64::from(draw.map(|at| part(&of[at])).iter().sum::<u32>())
            };
            let small = |of: [(u64, u64); 4]| {
                of.map(|(x, y)| (u32::try_from(x).unwrap(), u32::try_from(y).unwrap()))
            };
            let (one, other) = (small(one), small(other));
            cv(sum(&one, |of| of.1), sum(&other, |of| of.1))
                / cv(sum(&one, |of| of.0), sum(&other, |of| of.0))
        };
        let mut all: Vec<f64> = (0..256)
            .map(|draw| ratio([draw % 4, draw / 4 % 4, draw / 16 % 4, draw / 64]))
            .collect();
        all.sort_by(f64::total_cmp);
        let found = compared.sensitivities[0].ratio.unwrap();
        assert!((found.value - ratio([0, 1, 2, 3])).abs() < 1e-9, "{found:?}");
        // 2.5 % of 256 draws are 6.4; a sample of 2,000 finds that place within a few.
        let Interval { low, high } = found.interval;
        assert!((all[2]..=all[11]).contains(&low), "{low} {all:?}");
        assert!((all[244]..=all[253]).contains(&high), "{high} {all:?}");
    }

    #[test]
    fn probabilities_are_adjusted_for_all_comparisons_of_the_table() {
        let counts: Vec<[(u64, u64); 3]> =
            (0..5).map(|at| [0, 1, 2].map(|suite| (40_000, 900 - 100 * at + suite))).collect();
        let names = ["a", "b", "c", "d", "e"];
        let relations: Vec<(&str, &[(u64, u64)])> =
            names.iter().copied().zip(counts.iter().map(|of| &of[..])).collect();
        let compared = suites(&relations);
        let against: Vec<Against> = compared.rows.iter().filter_map(|row| row.against).collect();
        assert_eq!(against.len(), 4);
        for of in against {
            // Samples of 3 and 3 that do not overlap: 2 of 20 ways to deal them out, times 4 comparisons.
            assert!((of.p - 0.1).abs() < 1e-12 && (of.p_holm - 0.4).abs() < 1e-12, "{of:?}");
        }
    }
}
