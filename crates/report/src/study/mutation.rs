//! Mutation scores of a study: beside coverage and MC, and by the state of lines.

use std::fmt::Write as _;

use metacov_core::{Criterion, thousands};
use metacov_study::stats::{Interval, mean};
use metacov_study::{
    ALL, Kills, MutationResult, MutationRow, Program, Results, ScoreCorrelation, Share, SizeResult,
    Variation,
};

use super::{Section, what};
use crate::comparison::{percent, range, unknown};
use crate::csv::line;
use crate::{Column, Table};

/// The mutation scores of relations.
pub struct Scores<'m>(pub &'m MutationResult);

impl Scores<'_> {
    /// The cells of a relation: its mean score, the standard deviation, and the paper's.
    pub fn cells(&self, relation: &str, paper: Option<&Program>) -> Vec<String> {
        let of = self.0.relations.iter().find(|row| row.relation == relation);
        let deviation = of.and_then(|of| of.score.deviation);
        let mut cells = vec![
            of.map_or_else(unknown, |of| percent(of.score.mean)),
            deviation.map_or_else(unknown, |deviation| format!("{deviation:.2}")),
        ];
        cells.extend(paper.map(|of| of.score(relation).map_or_else(unknown, percent)));
        cells
    }
}

/// The mean score of all relations.
pub fn mean_score(of: &MutationResult) -> Option<f64> {
    mean(&single(of).map(|row| row.score.mean).collect::<Vec<_>>())
}

/// The relations, without all together.
fn single(of: &MutationResult) -> impl Iterator<Item = &MutationRow> {
    of.relations.iter().filter(|row| row.relation != ALL || of.relations.len() == 1)
}

/// Which mutants were run.
pub fn which(of: &MutationResult) -> String {
    match of.mutants {
        (run, built) if run == built => format!("all {} of the build", thousands(built)),
        (run, built) => {
            format!("a sample of {} of the {} of the build", thousands(run), thousands(built))
        }
    }
}

/// The sections about mutants, if suites were run with them.
pub fn sections(results: &Results, cell: &SizeResult) -> Vec<Section> {
    let Some(of) = &cell.mutation else { return Vec::new() };
    let mut sections = Vec::from_iter(variations(results, cell, of));
    sections.push(correlations(cell, of));
    sections.push(lines(cell, of));
    sections
}

/// The paper's table of coefficients of variation, with the mutation score.
fn variations(results: &Results, cell: &SizeResult, of: &MutationResult) -> Option<Section> {
    let lines = cell.sensitivity(Criterion::Line)?;
    let number = Column::number;
    let mut columns = vec![Column::word("measure"), number("CV").emphasized()];
    columns.push(number("95 % interval"));
    if results.paper_of(&cell.target).is_some() {
        columns.push(number("CV, paper"));
    }
    // The paper has mutation scores of suites of this size only.
    let paper = results.paper_of(&cell.target).map(|paper| {
        let (coverage, mc) = paper.variation("line", cell.size).unzip();
        let score = (cell.size == 100).then_some(paper.variation_of_score).flatten();
        [coverage, score, mc]
    });
    let row = |at: usize, name: &str, variation: Option<Variation>| {
        let value = variation.map_or_else(unknown, |of| format!("{:.3}", of.value));
        let interval = variation.and_then(|of| of.interval);
        let mut row = vec![name.to_owned(), value];
        row.push(interval.map_or_else(unknown, |interval| range(interval, 3)));
        let paper = paper.map(|paper| paper[at]);
        row.extend(paper.map(|of| of.map_or_else(unknown, |of| format!("{of:.2}"))));
        row
    };
    let rows = vec![
        row(0, "Cov, of lines", Some(lines.coverage)),
        row(1, "mutation score", of.variation),
        row(2, "MC, of lines", Some(lines.mc)),
    ];
    let text = format!(
        "Killed mutants in percent of {}. A mutant is killed if a pair violates its relation while it is on; errors, \
         crashes and time-outs are not kills.",
        which(of)
    );
    let title = format!("Q2: does the mutation score tell relations apart, {}", what(cell));
    Some(Section { title, table: Some(Table { columns, rows }), text })
}

/// Does a measure predict the mutation score?
fn correlations(cell: &SizeResult, of: &MutationResult) -> Section {
    let number = Column::number;
    let columns = vec![
        Column::word("measure"),
        number("points"),
        number("Pearson").emphasized(),
        number("95 % interval"),
        number("Kendall").emphasized(),
        number("95 % interval"),
    ];
    let coefficient = |of: Option<f64>| of.map_or_else(unknown, |of| format!("{of:.2}"));
    let interval = |of: Option<Interval>| of.map_or_else(unknown, |of| range(of, 2));
    let row = |name: &str, of: &ScoreCorrelation| {
        vec![
            name.to_owned(),
            of.points.to_string(),
            coefficient(of.pearson),
            interval(of.pearson_interval),
            coefficient(of.kendall),
            interval(of.kendall_interval),
        ]
    };
    let rows = vec![row("Cov", &of.coverage), row("MC", &of.mc)];
    let mut text = "How coverage and MC of lines go with the mutation score; a point is a relation in a suite, and \
                    intervals come from drawing suites."
        .to_owned();
    if let (Some(coverage), Some(mc)) = (of.coverage.kendall_interval, of.mc.kendall_interval) {
        text.push_str(if mc.low > coverage.high {
            " By Kendall's tau, MC predicts the mutation score better than coverage does."
        } else if coverage.low > mc.high {
            " By Kendall's tau, coverage predicts the mutation score better than MC does."
        } else {
            " The intervals of Kendall's tau overlap: these suites do not show which of the two predicts the mutation \
             score better."
        });
    }
    let title = format!("Mutants: which measure predicts the mutation score, {}", what(cell));
    Section { title, table: Some(Table { columns, rows }), text }
}

/// Is a mutant on an MC line killed more often than on another executed line?
fn lines(cell: &SizeResult, of: &MutationResult) -> Section {
    let number = Column::number;
    let columns = vec![
        Column::word("relation"),
        number("killed on MC lines"),
        number("share").emphasized(),
        number("95 % interval"),
        number("killed on other lines"),
        number("share").emphasized(),
        number("95 % interval"),
        number("difference"),
        number("95 % interval"),
    ];
    let row = |row: &MutationRow| {
        let kills = |Kills { killed, reached }: Kills| {
            format!("{} of {}", thousands(killed), thousands(reached))
        };
        let share = |at: usize| row.shares.map(|shares| shares[at]);
        let interval = |of: Option<Share>| {
            of.and_then(|of| of.interval).map_or_else(unknown, |of| range(of, 2))
        };
        let shown = |at: usize| share(at).map_or_else(unknown, |of| percent(of.value));
        let difference = share(2).map_or_else(unknown, |of| format!("{:+.2}", of.value));
        vec![
            row.relation.clone(),
            kills(row.lines.mc),
            shown(0),
            interval(share(0)),
            kills(row.lines.other),
            shown(1),
            interval(share(1)),
            difference,
            interval(share(2)),
        ]
    };
    let rows = of.relations.iter().map(row).collect();
    let mut text = "Mutants that a pair reached, of all suites together, by the line that they are on: in the MC of the \
                    relation, or executed and not in it. Intervals come from drawing functions, since mutants of one \
                    function are alike. The difference is in percentage points."
        .to_owned();
    if let Some(verdict) = of.relations.last().and_then(verdict) {
        let _ = write!(text, " {verdict}");
    }
    let title = format!("Mutants: killed on MC lines and on other lines, {}", what(cell));
    Section { title, table: Some(Table { columns, rows }), text }
}

/// The answer to the question, in a sentence.
fn verdict(row: &MutationRow) -> Option<String> {
    let [mc, other, difference] = row.shares?;
    let interval = difference.interval?;
    Some(if interval.low > 0.0 && other.value > 0.0 {
        let times = mc.value / other.value;
        format!(
            "A mutant on an MC line is {times:.1} times as likely to be killed as one on another executed line."
        )
    } else if interval.low > 0.0 {
        "Mutants are killed on MC lines only.".to_owned()
    } else if interval.high < 0.0 {
        "A mutant on an MC line is less likely to be killed than one on another executed line."
            .to_owned()
    } else {
        "The interval of the difference contains 0: these mutants do not show that MC lines are checked better."
            .to_owned()
    })
}

/// All numbers of mutants as CSV.
pub fn csv(results: &Results) -> String {
    let headings = [
        "target",
        "size",
        "suite",
        "seed",
        "built",
        "mutants",
        "relation",
        "pairs",
        "reached",
        "killed",
        "mc_killed",
        "mc_reached",
        "other_killed",
        "other_reached",
    ];
    let mut text = line(&headings.map(str::to_owned));
    for outcome in &results.outcomes {
        let Some(mutants) = &outcome.mutants else { continue };
        for of in &mutants.relations {
            let sums = of.functions.values().fold([0; 4], |mut sums: [u64; 4], counts| {
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                sums
            });
            let mut cells = vec![outcome.target.clone()];
            let numbers = [outcome.size, outcome.number, outcome.seed, mutants.built, mutants.run];
            cells.extend(numbers.map(|number| number.to_string()));
            cells.push(of.relation.clone());
            let numbers = [of.pairs, of.reached, of.killed].into_iter().chain(sums);
            cells.extend(numbers.map(|number| number.to_string()));
            text.push_str(&line(&cells));
        }
    }
    text
}
