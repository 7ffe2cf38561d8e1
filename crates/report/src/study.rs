//! The report of a study: tables with the paper's numbers, CSV, figures.

mod bugs;
mod efficiency;
mod figures;
mod folders;
mod mutation;
mod numbers;
mod report;
mod sizes;

use std::fmt::Write as _;

use metacov_core::{Criterion, counted};
use metacov_formats::Fault;
use metacov_study::{Results, SizeResult};

use crate::comparison::{percent, range, ratio, unknown};
use crate::{Column, Table};

pub use report::{Report, Section};

/// Returns the report of a study.
pub fn study_report(results: &Results) -> Result<Report, Fault> {
    let names: Vec<&str> = results.papers().iter().map(|paper| paper.name).collect();
    let beside = format!("Beside the paper's numbers for {}.", names.join(" and "));
    let beside = (beside, results.plan.differs.clone());
    Ok(Report {
        title: results.plan.title.clone(),
        beside: (!names.is_empty()).then_some(beside),
        sections: sections(results),
        figures: figures::figures(results),
        numbers: numbers::numbers(results)?,
    })
}

/// All tables of a study.
fn sections(results: &Results) -> Vec<Section> {
    let mut sections = Vec::new();
    if let Some(bugs) = &results.bugs {
        sections.push(bugs::overlap(bugs, results.paper));
        sections.push(bugs::correlation(bugs, results.paper));
    }
    for target in results.targets() {
        let Some(cell) = results.main_cell(target) else { continue };
        sections.push(relations(results, cell));
        sections.extend(sensitivity(results, cell));
        sections.extend(mutation::sections(results, cell));
        let cells: Vec<&SizeResult> =
            results.cells.iter().filter(|of| of.target == target).collect();
        if cells.len() > 1 {
            sections.push(sizes::sizes(results, &cells));
        }
        sections.push(sizes::times(results, &cells));
    }
    match &results.efficiency {
        Some(of) => {
            let cell = results.main_cell(&of.target);
            sections.push(efficiency::pipeline(of, cell, results.paper_of(&of.target)));
        }
        None if results.plan.efficiency.is_some() => sections.push(Section {
            title: "Q3: the paper's pipeline and metacov".to_owned(),
            table: None,
            text: "Not measured: gcovr was not there, or its turn has not come. `metacov study run`, once more, says \
                   what is needed."
                .to_owned(),
        }),
        None => {}
    }
    sections
}

/// Q.2: the averages of each relation.
fn relations(results: &Results, cell: &SizeResult) -> Section {
    let number = Column::number;
    let mut columns = vec![Column::word("relation"), number("suites"), number("Cov")];
    columns.push(number("MC").emphasized());
    columns.extend([number("sd"), number("95 % interval"), number("MC/Cov")]);
    if results.paper_of(&cell.target).is_some() {
        columns.extend(["Cov, paper", "MC, paper", "MC/Cov, paper"].map(number));
    }
    let score = cell.mutation.as_ref().map(mutation::Scores);
    columns.extend(score.iter().flat_map(|_| ["mutation score", "sd of score"].map(number)));
    if results.paper_of(&cell.target).is_some() {
        columns.extend(score.iter().map(|_| number("mutation score, paper")));
    }
    let rows = cell.rows(Criterion::Line).map(|row| {
        let mut cells = vec![row.relation.clone(), row.mc.values.len().to_string()];
        cells.extend([percent(row.coverage.mean), percent(row.mc.mean)]);
        cells.push(row.mc.deviation.map_or_else(unknown, |deviation| format!("{deviation:.2}")));
        cells.push(row.mc.interval.map_or_else(unknown, |interval| range(interval, 2)));
        cells.push(share(row.mc.mean, row.coverage.mean));
        if let Some(paper) = results.paper_of(&cell.target) {
            cells.extend(match paper.average(&row.relation) {
                Some((coverage, mc)) => [percent(coverage), percent(mc), share(mc, coverage)],
                None => [unknown(), unknown(), unknown()],
            });
        }
        if let Some(score) = &score {
            cells.extend(score.cells(&row.relation, results.paper_of(&cell.target)));
        }
        cells
    });
    let table = Table { rows: rows.collect(), columns };
    let mut text =
        "Means over suites, of lines, in percent of all lines; sd and interval of MC.".to_owned();
    if let (Some(paper), Some((coverage, mc))) =
        (results.paper_of(&cell.target), cell.means(Criterion::Line))
    {
        let sum = |of: fn(&(&str, f64, f64)) -> f64| paper.averages.iter().map(of).sum::<f64>();
        let _ = write!(
            text,
            " Over all relations, MC/Cov is {}; in the paper {}.",
            share(mc, coverage),
            share(sum(|of| of.2), sum(|of| of.1))
        );
        if let Some(order) = results.agreement_of_order(cell) {
            let verdict = if order > 0.5 { "much alike" } else { "not alike" };
            let _ = write!(
                text,
                " By MC, the relations stand in orders that are {verdict} (Spearman's correlation {order:.2})."
            );
        }
    }
    Section {
        title: format!("Q2: coverage and MC of relations, {}", what(cell)),
        table: Some(table),
        text,
    }
}

/// How to read a ratio of coefficients of variation.
const RATIO_READING: &str = " ratio: CV of MC divided by CV of Cov, with its interval; - if there is one suite, or if CV \
                             of Cov may be below 0.0005.";

/// Q.2 and the first half of Q.5: the coefficients of variation, by criterion.
fn sensitivity(results: &Results, cell: &SizeResult) -> Option<Section> {
    let number = Column::number;
    let mut columns = vec![Column::word("criterion"), number("CV of Cov"), number("95 % interval")];
    columns.push(number("CV of MC").emphasized());
    columns.extend([number("95 % interval"), number("ratio"), number("95 % interval")]);
    if results.paper_of(&cell.target).is_some() {
        columns.extend(["CV of Cov, paper", "CV of MC, paper"].map(number));
    }
    let sensitivities = &cell.comparison.sensitivities;
    let mut text = "Coefficients of variation (standard deviation by mean) of the relations' means: the larger, \
                    the better a measure tells relations apart."
        .to_owned();
    text.push_str(RATIO_READING);
    let mut rows = Vec::new();
    for of in sensitivities {
        let mut cells = vec![of.criterion.to_string()];
        for variation in [of.coverage, of.mc] {
            cells.push(format!("{:.3}", variation.value));
            cells.push(variation.interval.map_or_else(unknown, |interval| range(interval, 3)));
        }
        cells.extend(ratio(of.ratio));
        let paper = results
            .paper_of(&cell.target)
            .map(|paper| paper.variation(of.criterion.name(), cell.size));
        match paper {
            Some(Some((coverage, mc))) => {
                cells.extend([format!("{coverage:.2}"), format!("{mc:.2}")]);
                let more = of.mc.value > of.coverage.value;
                if more != (mc > coverage) {
                    let _ = write!(text, " By {}, this contradicts the paper.", of.criterion);
                }
            }
            Some(None) => cells.extend([unknown(), unknown()]),
            None => {}
        }
        rows.push(cells);
    }
    let agrees = sensitivities.iter().all(|of| of.mc.value > of.coverage.value);
    if agrees && results.paper_of(&cell.target).is_some() {
        text.push_str(
            " MC tells them apart better than coverage by every criterion, as in the paper.",
        );
    }
    let title = format!("Q2 and Q5: which measure tells relations apart, {}", what(cell));
    (!rows.is_empty()).then_some(Section { title, table: Some(Table { columns, rows }), text })
}

fn what(cell: &SizeResult) -> String {
    let suites = counted(cell.suites as u64, "suite", "suites");
    match cell.size {
        0 => format!("{}, {suites}", cell.target),
        size => format!("{}, {suites} of {} each", cell.target, counted(size, "pair", "pairs")),
    }
}

fn share(part: f64, whole: f64) -> String {
    if whole > 0.0 { percent(100.0 * part / whole) } else { unknown() }
}
