//! The correlation of coverage with the number of known bugs.

use metacov_study::{BugCorrelation, BugsAgainst, Correlation, Program};

use crate::comparison::unknown;
use crate::svg::{Labels, Scatter, Series};
use crate::table::{Column, Table};

/// A row for each measure, with the paper's numbers.
pub fn table(found: &Correlation, paper: Option<&Program>) -> Table {
    let coefficient =
        |value: Option<f64>| value.map_or_else(unknown, |value| format!("{value:.2}"));
    let row = |name: &str, of: &BugsAgainst, paper: Option<f64>| {
        vec![name.to_owned(), coefficient(of.pearson), coefficient(of.spearman), coefficient(paper)]
    };
    let number = Column::number;
    let columns = vec![
        Column::word("measure"),
        number("Pearson"),
        number("Spearman"),
        number("Pearson, paper"),
    ];
    let paper = paper.and_then(|paper| paper.correlations);
    let rows = vec![
        row("Cov", &found.coverage, paper.map(|(coverage, _)| coverage)),
        row("MC", &found.mc, paper.map(|(_, mc)| mc)),
    ];
    Table { columns, rows }
}

/// Describes the sets that were drawn.
pub fn sets(of: &BugCorrelation) -> String {
    let BugCorrelation { engine, bugs, repetitions, .. } = of;
    format!("{bugs} bugs on {engine}, {repetitions} sets of each size from 1 to {bugs}")
}

/// A plot of all sets, by their number of bugs.
pub fn figure(of: &BugCorrelation) -> String {
    let series =
        |name: &str, of: &BugsAgainst| Series { name: name.to_owned(), points: of.points.clone() };
    let labels = Labels {
        title: format!("Coverage against the number of bugs, {}", of.engine),
        x: "bugs".to_owned(),
        y: "in % of all lines".to_owned(),
    };
    let series = vec![series("Cov", &of.found.coverage), series("MC", &of.found.mc)];
    Scatter { labels, series }.to_svg()
}
