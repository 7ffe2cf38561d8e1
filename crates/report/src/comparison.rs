//! Comparisons of groups of suites, as tables, numbers and plots.

use std::fmt::Write as _;

use metacov_core::{Criterion, counted, thousands};
use metacov_study::stats::{Interval, magnitude};
use metacov_study::{ALL, Ratio, Row, RunComparison, Sample, Variation};

use crate::address::address;
use crate::csv::line;
use crate::html::{Part, Sheet};
use crate::svg::{Bar, Bars, Boxes, Labels};
use crate::{Column, Table};

/// Returns the table of the suites and, if there are several relations, the table of how well the
/// measures distinguish them.
pub fn comparison_tables(comparison: &RunComparison) -> (Table, Option<Table>) {
    (suites(comparison), sensitivities(comparison))
}

fn suites(comparison: &RunComparison) -> Table {
    let RunComparison { groups, rows, .. } = comparison;
    let (word, number) = (Column::word, Column::number);
    let several = rows.iter().any(|row| row.mc.values.len() > 1);
    let against = rows.iter().any(|row| row.against.is_some());
    let mut columns = vec![word("criterion"), word("relation")];
    columns.extend((groups.len() > 1).then(|| word("group")));
    columns.extend([number("suites"), number("pairs"), number("Cov")]);
    columns.push(number("MC").emphasized());
    if several {
        columns.extend([number("sd"), number("CV"), number("95 % interval")]);
    }
    if against {
        columns.extend([number("A12"), word("effect"), number("p"), number("p (Holm)")]);
    }
    let rows = rows.iter().map(|row| {
        let mut cells = vec![row.criterion.to_string(), row.relation.clone()];
        cells.extend((groups.len() > 1).then(|| groups[row.group].clone()));
        cells.extend([thousands(row.mc.values.len() as u64), pairs(row)]);
        cells.extend([percent(row.coverage.mean), percent(row.mc.mean)]);
        if several {
            cells.extend([
                row.mc.deviation.map_or_else(unknown, |deviation| format!("{deviation:.2}")),
                row.mc.variation.map_or_else(unknown, |variation| format!("{variation:.3}")),
                row.mc.interval.map_or_else(unknown, |interval| range(interval, 2)),
            ]);
        }
        if against {
            cells.extend(match row.against {
                Some(of) => [
                    format!("{:.2}", of.a12),
                    magnitude(of.a12).name().to_owned(),
                    probability(of.p),
                    probability(of.p_holm),
                ],
                None => [unknown(), unknown(), unknown(), unknown()],
            });
        }
        cells
    });
    Table { rows: rows.collect(), columns }
}

fn sensitivities(comparison: &RunComparison) -> Option<Table> {
    let RunComparison { groups, sensitivities, .. } = comparison;
    let (word, number) = (Column::word, Column::number);
    let mut columns = vec![word("criterion")];
    columns.extend((groups.len() > 1).then(|| word("group")));
    columns.extend([number("relations"), number("CV of Cov"), number("95 % interval")]);
    columns.push(number("CV of MC").emphasized());
    columns.extend([number("95 % interval"), number("ratio"), number("95 % interval")]);
    let rows = sensitivities.iter().map(|of| {
        let mut cells = vec![of.criterion.to_string()];
        cells.extend((groups.len() > 1).then(|| groups[of.group].clone()));
        cells.push(of.relations.to_string());
        for Variation { value, interval } in [of.coverage, of.mc] {
            cells.push(format!("{value:.3}"));
            cells.push(interval.map_or_else(unknown, |interval| range(interval, 3)));
        }
        cells.extend(ratio(of.ratio));
        cells
    });
    let rows: Vec<_> = rows.collect();
    (!rows.is_empty()).then_some(Table { columns, rows })
}

/// The heading of the second table.
const APART: &str = "How well does it tell relations apart?";
const APART_READING: &str = "CV: standard deviation of the relations' means, divided by their mean. \
                             The larger, the more a measure differs between relations. ratio: CV of MC \
                             divided by CV of Cov; - if there is one suite, or if CV of Cov may be below 0.0005.";

/// The same in Markdown, with an explanation; `plot` is a picture to show with it.
pub fn comparison_markdown(comparison: &RunComparison, plot: Option<&str>) -> String {
    let mut text = "## Comparison of suites\n\n".to_owned();
    let (suites, sensitivities) = comparison_tables(comparison);
    text.push_str(&suites.to_markdown());
    text.push('\n');
    text.push_str(&comparison_reading(comparison));
    text.push('\n');
    if let Some(plot) = plot {
        let _ = writeln!(text, "\n![MC of suites]({})", address(plot));
    }
    if let Some(sensitivities) = sensitivities {
        let _ = writeln!(text, "\n### {APART}\n\n{}\n{APART_READING}", sensitivities.to_markdown());
    }
    text
}

/// The same as a page, with the plot.
pub fn comparison_sheet(comparison: &RunComparison, criterion: Criterion) -> Sheet {
    let (suites, sensitivities) = comparison_tables(comparison);
    let mut parts = vec![
        Part::Table(suites),
        Part::Text(comparison_reading(comparison)),
        Part::Picture(comparison_plot(comparison, criterion), "MC of suites".to_owned()),
    ];
    if let Some(sensitivities) = sensitivities {
        parts.push(Part::Heading(APART.to_owned()));
        parts.push(Part::Table(sensitivities));
        parts.push(Part::Text(APART_READING.to_owned()));
    }
    Sheet { title: "Comparison of suites".to_owned(), parts }
}

/// Explains the numbers.
pub fn comparison_reading(comparison: &RunComparison) -> String {
    let mut text = "Cov and MC: mean over suites, in percent of all code.".to_owned();
    if comparison.rows.iter().any(|row| row.mc.values.len() > 1) {
        text.push_str(" sd, CV and interval (bootstrap of the mean) are those of MC.");
    }
    let comparisons = comparison.rows.iter().filter(|row| row.against.is_some()).count();
    if comparisons > 0 {
        let other = match &*comparison.groups {
            [first, _, ..] => format!("group {first}"),
            _ => "the relation with most".to_owned(),
        };
        let _ = write!(
            text,
            " A12 (Vargha and Delaney) and p (Mann and Whitney, two-sided) are against {other}; p (Holm) is corrected \
             for the {} of the table.",
            counted(comparisons as u64, "comparison", "comparisons")
        );
    }
    text
}

/// All numbers as CSV, one row for each relation, criterion and group.
pub fn comparison_csv(comparison: &RunComparison) -> String {
    let headings = [
        "criterion",
        "relation",
        "group",
        "suites",
        "pairs_min",
        "pairs_max",
        "cov_mean",
        "cov_sd",
        "cov_cv",
        "cov_low",
        "cov_high",
        "mc_mean",
        "mc_sd",
        "mc_cv",
        "mc_low",
        "mc_high",
        "a12",
        "p",
        "p_holm",
    ];
    let mut text = line(&headings.map(str::to_owned));
    for row in &comparison.rows {
        let mut cells = vec![
            row.criterion.to_string(),
            row.relation.clone(),
            comparison.groups[row.group].clone(),
            row.mc.values.len().to_string(),
            row.pairs.0.to_string(),
            row.pairs.1.to_string(),
        ];
        for Sample { mean, deviation, variation, interval, .. } in [&row.coverage, &row.mc] {
            cells.push(plain(Some(*mean)));
            cells.extend([*deviation, *variation].map(plain));
            cells.extend([interval.map(|of| of.low), interval.map(|of| of.high)].map(plain));
        }
        cells.extend([row.against.map(|of| of.a12), row.against.map(|of| of.p)].map(plain));
        cells.push(plain(row.against.map(|of| of.p_holm)));
        text.push_str(&line(&cells));
    }
    text
}

/// The metamorphic coverage of all suites, as boxes; for single runs, as bars beside coverage.
pub fn comparison_plot(comparison: &RunComparison, criterion: Criterion) -> String {
    let RunComparison { groups, rows, .. } = comparison;
    let rows = || rows.iter().filter(|row| row.criterion == criterion);
    let name = |row: &Row| match groups.len() {
        0 | 1 => row.relation.clone(),
        _ => format!("{} ({})", row.relation, groups[row.group]),
    };
    let y = format!("{}, in % of all", criterion.plural());
    let labels = |title: &str| Labels { title: title.to_owned(), x: String::new(), y: y.clone() };
    if rows().all(|row| row.mc.values.len() < 2) {
        let bars = rows().map(|row| Bar {
            name: name(row),
            amount: row.coverage.mean,
            part: Some(row.mc.mean),
            note: format!("{:.2} of {:.2}", row.mc.mean, row.coverage.mean),
        });
        return Bars { labels: labels("MC, and Cov"), bars: bars.collect() }.to_svg();
    }
    let relations = rows().filter(|row| row.relation != ALL || groups.len() > 1);
    let samples = relations.map(|row| (name(row), row.mc.values.clone())).collect();
    Boxes { labels: labels("Metamorphic coverage of suites"), samples }.to_svg()
}

fn pairs(row: &Row) -> String {
    match row.pairs {
        (least, most) if least == most => thousands(least),
        (least, most) => format!("{}-{}", thousands(least), thousands(most)),
    }
}

pub(crate) fn percent(value: f64) -> String {
    format!("{value:.2} %")
}

pub(crate) fn range(Interval { low, high }: Interval, digits: usize) -> String {
    format!("{low:.digits$} to {high:.digits$}")
}

/// A ratio and its interval.
pub(crate) fn ratio(ratio: Option<Ratio>) -> [String; 2] {
    match ratio {
        Some(Ratio { value, interval }) => [format!("{value:.1}"), range(interval, 1)],
        None => [unknown(), unknown()],
    }
}

pub(crate) fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
}

fn plain(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

pub(crate) fn unknown() -> String {
    "-".to_owned()
}

/// A warning if suites have different sizes: MC grows with the number of pairs, so such suites say
/// nothing about methods.
pub fn comparison_sizes(comparison: &RunComparison) -> Option<String> {
    let pairs = comparison.rows.iter().filter(|row| row.relation != metacov_study::ALL);
    let (least, most) = pairs
        .fold((u64::MAX, 0), |(least, most), row| (least.min(row.pairs.0), most.max(row.pairs.1)));
    // A few pairs may have failed.
    (most > least.saturating_add(least / 10)).then(|| {
        format!(
            "suites have from {least} to {most} pairs of a relation: MC grows with their number, so compare suites of one size"
        )
    })
}
