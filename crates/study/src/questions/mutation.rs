//! Mutation scores beside coverage and MC: the second baseline of the paper's Q.2, Q.3 and Q.5, and what the paper could
//! not ask: is a mutant on an MC line killed more often than one on another line?

use std::collections::BTreeMap;

use metacov_core::Criterion;

use super::comparison::{Sample, Variation};
use crate::stats::{Bootstrap, Interval, coefficient_of_variation, kendall, mean, pearson};
use crate::{ALL, Kills, LineKills, Row, SuiteMutants};

/// The mutation scores of suites of one target and size.
pub struct MutationResult {
    /// How many mutants were run, and how many the build has.
    pub mutants: (u64, u64),
    /// How many suites were run with mutants.
    pub suites: usize,
    /// The mean processor time of the mutants of a suite, in seconds.
    pub seconds: f64,
    /// By relation, and for all together.
    pub relations: Vec<MutationRow>,
    /// The coefficient of variation of the relations' mean scores.
    pub variation: Option<Variation>,
    /// How coverage goes with the score.
    pub coverage: ScoreCorrelation,
    /// How MC goes with the score.
    pub mc: ScoreCorrelation,
}

/// The mutants of one relation, or of all.
pub struct MutationRow {
    /// The relation, or [`ALL`].
    pub relation: String,
    /// The scores of the suites, in percent of the mutants that were run.
    pub score: Sample,
    /// Mutants by the state of their lines, of all suites together.
    pub lines: LineKills,
    /// The shares of killed mutants, in percent: on MC lines, on other executed lines, and the difference of both in
    /// percentage points, with intervals that come from drawing functions.
    pub shares: Option<[Share; 3]>,
}

/// A share with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The share.
    pub value: f64,
    /// Its confidence interval; none if it is undefined in a draw.
    pub interval: Option<Interval>,
}

/// How a measure goes with the mutation score, over suites and relations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreCorrelation {
    /// How many pairs of numbers there are: one for each relation of each suite.
    pub points: usize,
    /// Pearson's correlation.
    pub pearson: Option<f64>,
    /// Its interval, from drawing suites.
    pub pearson_interval: Option<Interval>,
    /// Kendall's tau-b.
    pub kendall: Option<f64>,
    /// Its interval, from drawing suites.
    pub kendall_interval: Option<Interval>,
}

/// The draws of an interval: there are hundreds of functions.
const BOOTSTRAP: Bootstrap = Bootstrap { seed: 1, draws: 2_000 };

/// Evaluates the mutants of suites, and the coverage of the same suites by line. None if a suite has no mutants.
pub fn mutation(suites: &[Option<&SuiteMutants>], rows: &[Row]) -> Option<MutationResult> {
    let suites: Vec<&SuiteMutants> = suites.iter().copied().collect::<Option<_>>()?;
    let first = suites.first()?;
    let names = first.relations.iter().map(|of| of.relation.clone());
    let relations: Vec<MutationRow> = names.filter_map(|relation| row(relation, &suites)).collect();
    let single: Vec<&MutationRow> = relations.iter().filter(|row| row.relation != ALL).collect();
    let correlation = |of: fn(&Row) -> &Sample| {
        let lines = |relation: &str| {
            let is = |row: &&Row| row.criterion == Criterion::Line && row.relation == relation;
            rows.iter().find(is).map(|row| &*of(row).values)
        };
        let series: Vec<(&[f64], &[f64])> = single
            .iter()
            .filter_map(|row| Some((lines(&row.relation)?, &*row.score.values)))
            .filter(|(measure, _)| measure.len() == suites.len())
            .collect();
        ScoreCorrelation::of(&series, suites.len())
    };
    Some(MutationResult {
        mutants: (first.run, first.built),
        suites: suites.len(),
        seconds: mean(&suites.iter().map(|of| of.processor_seconds).collect::<Vec<_>>())?,
        variation: variation(&single, suites.len()),
        coverage: correlation(|row| &row.coverage),
        mc: correlation(|row| &row.mc),
        relations,
    })
}

fn row(relation: String, suites: &[&SuiteMutants]) -> Option<MutationRow> {
    let scores: Vec<f64> = suites.iter().filter_map(|of| of.score(&relation)).collect();
    // A relation that a suite has no pair of cannot be drawn with the suite.
    let score = Sample::of(scores).filter(|of| of.values.len() == suites.len())?;
    let mut functions: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    for of in suites.iter().filter_map(|suite| suite.get(&relation)) {
        for (name, counts) in &of.functions {
            let sums = functions.entry(name).or_default();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    let functions: Vec<[u64; 4]> = functions.into_values().collect();
    let sum = |at: usize| functions.iter().map(|counts| counts[at]).sum();
    let kills = |at: usize| Kills { killed: sum(at), reached: sum(at + 1) };
    let lines = LineKills { mc: kills(0), other: kills(2) };
    Some(MutationRow { relation, score, lines, shares: shares(&functions) })
}

/// The shares of killed mutants on MC lines, on other lines, and their difference.
fn shares(functions: &[[u64; 4]]) -> Option<[Share; 3]> {
    let share = |drawn: &[usize], at: usize| {
        let sum = |at: usize| drawn.iter().map(|function| functions[*function][at]).sum::<u64>();
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 mutants")]
        let share = |killed: u64, reached: u64| 100.0 * killed as f64 / reached as f64;
        let reached = sum(at + 1);
        (reached > 0).then(|| share(sum(at), reached))
    };
    let mc = |drawn: &[usize]| share(drawn, 0);
    let other = |drawn: &[usize]| share(drawn, 2);
    let difference = |drawn: &[usize]| Some(mc(drawn)? - other(drawn)?);
    let all: Vec<usize> = (0..functions.len()).collect();
    let of = |statistic: &dyn Fn(&[usize]) -> Option<f64>| {
        let interval = BOOTSTRAP.interval(functions.len(), statistic);
        Some(Share { value: statistic(&all)?, interval })
    };
    Some([of(&mc)?, of(&other)?, of(&difference)?])
}

/// The coefficient of variation of the relations' mean scores; its interval comes from drawing suites.
fn variation(rows: &[&MutationRow], suites: usize) -> Option<Variation> {
    let all: Vec<usize> = (0..suites).collect();
    let of = |drawn: &[usize]| {
        let mean_of = |row: &&MutationRow| {
            mean(&drawn.iter().map(|at| row.score.values[*at]).collect::<Vec<_>>())
        };
        coefficient_of_variation(&rows.iter().map(mean_of).collect::<Option<Vec<_>>>()?)
    };
    Some(Variation { value: of(&all)?, interval: BOOTSTRAP.interval(suites, of) })
}

impl ScoreCorrelation {
    /// Of one measure and the score, by relation and suite.
    fn of(series: &[(&[f64], &[f64])], suites: usize) -> Self {
        let points = |drawn: &[usize]| -> Vec<(f64, f64)> {
            let mut points = Vec::with_capacity(drawn.len() * series.len());
            for at in drawn {
                points.extend(series.iter().map(|(measure, score)| (measure[*at], score[*at])));
            }
            points
        };
        let all: Vec<usize> = (0..suites).collect();
        let interval = |statistic: fn(&[(f64, f64)]) -> Option<f64>| {
            BOOTSTRAP.interval(suites, |drawn| statistic(&points(drawn)))
        };
        let points = points(&all);
        ScoreCorrelation {
            points: points.len(),
            pearson: pearson(&points),
            pearson_interval: interval(pearson),
            kendall: kendall(&points),
            kendall_interval: interval(kendall),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Measurement, RelationMutants, SuiteGroup, SuiteNumbers, compare};

    /// By relation: executed lines, MC lines, killed mutants; of 1,000 lines and mutants.
    fn suite(relations: &[(&str, u64, u64, u64)]) -> (SuiteNumbers, SuiteMutants) {
        let numbers = relations.iter().map(|(relation, executed, mc_sites, _)| Measurement {
            relation: (*relation).to_owned(),
            criterion: Criterion::Line,
            pairs: 10,
            failed: 0,
            sites: 1000,
            executed: *executed,
            mc_sites: *mc_sites,
        });
        let mutants = relations.iter().map(|(relation, .., killed)| RelationMutants {
            relation: (*relation).to_owned(),
            pairs: 10,
            reached: 500,
            killed: *killed,
            functions: [("f", [*killed, 100, 0, 50]), ("g", [0, 0, 4, 350])]
                .map(|(name, counts)| (name.to_owned(), counts))
                .into(),
        });
        let numbers = SuiteNumbers {
            name: "s".to_owned(),
            build: "b".to_owned(),
            measurements: numbers.collect(),
        };
        let mutants = SuiteMutants {
            built: 5000,
            run: 1000,
            processor_seconds: 2.0,
            relations: mutants.collect(),
        };
        (numbers, mutants)
    }

    fn result(suites: &[(SuiteNumbers, SuiteMutants)]) -> MutationResult {
        let records = suites.iter().map(|of| of.0.clone()).collect();
        let group = SuiteGroup { name: "one".to_owned(), records };
        let compared = compare(&[group], [Criterion::Line].into_iter().collect());
        let mutants: Vec<Option<&SuiteMutants>> = suites.iter().map(|of| Some(&of.1)).collect();
        mutation(&mutants, &compared.rows).unwrap()
    }

    #[test]
    fn scores_correlate_with_what_goes_with_them() {
        let found = result(&[
            suite(&[("one", 500, 30, 10), ("two", 400, 60, 20), ("three", 450, 90, 30)]),
            suite(&[("one", 500, 36, 12), ("two", 400, 66, 22), ("three", 450, 99, 33)]),
        ]);
        assert_eq!((found.mutants, found.suites), ((1000, 5000), 2));
        assert_eq!((found.mc.points, found.mc.kendall), (6, Some(1.0)));
        assert!((found.mc.pearson.unwrap() - 1.0).abs() < 1e-9);
        assert!(found.coverage.kendall.unwrap() < 0.0, "{:?}", found.coverage);
        // Mean scores 1.1, 2.1 and 3.15 percent.
        let variation = coefficient_of_variation(&[1.1, 2.1, 3.15]).unwrap();
        assert!((found.variation.unwrap().value - variation).abs() < 1e-9);
    }

    #[test]
    fn shares_are_of_all_suites_and_functions() {
        let found = result(&[suite(&[("one", 500, 30, 10)]), suite(&[("one", 500, 36, 12)])]);
        let row = &found.relations[0];
        assert_eq!(row.lines.mc, Kills { killed: 22, reached: 200 });
        assert_eq!(row.lines.other, Kills { killed: 8, reached: 800 });
        let [mc, other, difference] = row.shares.unwrap().map(|of| of.value);
        assert!((mc - 11.0).abs() < 1e-9 && (other - 1.0).abs() < 1e-9);
        assert!((difference - 10.0).abs() < 1e-9);
        // Without the only function with MC lines, there is no share.
        assert_eq!(row.shares.unwrap()[0].interval, None);
        assert!(row.shares.unwrap()[1].interval.is_some());
    }

    #[test]
    fn a_suite_without_mutants_leaves_no_result() {
        let (_, of) = suite(&[("one", 500, 30, 10)]);
        assert!(mutation(&[Some(&of), None], &[]).is_none());
    }
}
