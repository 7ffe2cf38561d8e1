//! What a study has come to: tables beside the paper's, numbers, figures.

mod bugs;
mod efficiency;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use metacov_core::Criterion;
use metacov_study::{ALL, Cell, Results};

use crate::comparison::{percent, range, unknown};
use crate::csv::line;
use crate::html::{Part, Sheet};
use crate::rows::thousands;
use crate::svg::{Boxes, Curves, Labels, Series};
use crate::{Column, Table, correlations};

/// A table of a study, with what it shows.
pub struct Section {
    /// The question.
    pub title: String,
    /// The answer, if it was measured.
    pub table: Option<Table>,
    /// How to read it, and what it means.
    pub text: String,
}

/// All tables of a study.
pub fn study_sections(results: &Results) -> Vec<Section> {
    let mut sections = Vec::new();
    if let Some(bugs) = &results.bugs {
        sections.push(bugs::overlap(bugs, results.paper));
        sections.push(bugs::correlation(bugs, results.paper));
    }
    for target in results.targets() {
        let Some(cell) = results.main_cell(target) else { continue };
        sections.push(relations(results, cell));
        sections.extend(sensitivity(results, cell));
        let cells: Vec<&Cell> = results.cells.iter().filter(|of| of.target == target).collect();
        if cells.len() > 1 {
            sections.push(sizes(results, &cells));
        }
        sections.push(times(results, &cells));
    }
    match &results.efficiency {
        Some(of) => {
            let cell = results.main_cell(&of.target);
            sections.push(efficiency::pipeline(of, cell, results.paper));
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
fn relations(results: &Results, cell: &Cell) -> Section {
    let number = Column::number;
    let mut columns = vec![Column::word("relation"), number("suites"), number("Cov")];
    columns.push(Column { emphasis: true, ..number("MC") });
    columns.extend([number("sd"), number("95 % interval"), number("MC/Cov")]);
    if results.paper.is_some() {
        columns.extend(["Cov, paper", "MC, paper", "MC/Cov, paper"].map(number));
    }
    let rows = cell.rows(Criterion::Line).map(|row| {
        let mut cells = vec![row.relation.clone(), row.mc.values.len().to_string()];
        cells.extend([percent(row.coverage.mean), percent(row.mc.mean)]);
        cells.push(row.mc.deviation.map_or_else(unknown, |deviation| format!("{deviation:.2}")));
        cells.push(row.mc.interval.map_or_else(unknown, |interval| range(interval, 2)));
        cells.push(share(row.mc.mean, row.coverage.mean));
        if let Some(paper) = results.paper {
            cells.extend(match paper.average(&row.relation) {
                Some((coverage, mc)) => [percent(coverage), percent(mc), share(mc, coverage)],
                None => [unknown(), unknown(), unknown()],
            });
        }
        cells
    });
    let table = Table { rows: rows.collect(), columns };
    let mut text =
        "Means over suites, of lines, in percent of all lines; sd and interval of MC.".to_owned();
    if let (Some(paper), Some((coverage, mc))) = (results.paper, cell.means(Criterion::Line)) {
        let sum = |of: fn(&(&str, f64, f64)) -> f64| paper.averages.iter().map(of).sum::<f64>();
        let _ = write!(
            text,
            " MC is {:.1} times smaller than line coverage; in the paper {:.1} times.",
            coverage / mc,
            sum(|of| of.1) / sum(|of| of.2)
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

/// Q.2 and the first half of Q.5: the coefficients of variation, by criterion.
fn sensitivity(results: &Results, cell: &Cell) -> Option<Section> {
    let number = Column::number;
    let mut columns = vec![Column::word("criterion"), number("CV of Cov"), number("95 % interval")];
    columns.push(Column { emphasis: true, ..number("CV of MC") });
    columns.extend([number("95 % interval"), number("ratio")]);
    if results.paper.is_some() {
        columns.extend(["CV of Cov, paper", "CV of MC, paper", "ratio, paper"].map(number));
    }
    let sensitivities = &cell.comparison.sensitivities;
    let mut text = "Coefficients of variation (standard deviation by mean) of the relations' means: the larger, \
                    the better a measure tells relations apart."
        .to_owned();
    let mut rows = Vec::new();
    for of in sensitivities {
        let mut cells = vec![of.criterion.to_string()];
        for variation in [of.coverage, of.mc] {
            cells.push(format!("{:.3}", variation.value));
            cells.push(variation.interval.map_or_else(unknown, |interval| range(interval, 3)));
        }
        cells.push(ratio(of.mc.value, of.coverage.value));
        let paper = results.paper.map(|paper| paper.variation(of.criterion.name(), cell.size));
        match paper {
            Some(Some((coverage, mc))) => {
                cells.extend([format!("{coverage:.2}"), format!("{mc:.2}"), ratio(mc, coverage)]);
                let more = of.mc.value > of.coverage.value;
                if more != (mc > coverage) {
                    let _ = write!(text, " By {}, this contradicts the paper.", of.criterion);
                }
            }
            Some(None) => cells.extend([unknown(), unknown(), unknown()]),
            None => {}
        }
        rows.push(cells);
    }
    let agrees = sensitivities.iter().all(|of| of.mc.value > of.coverage.value);
    if agrees && results.paper.is_some() {
        text.push_str(
            " MC tells them apart better than coverage by every criterion, as in the paper.",
        );
    }
    let title = format!("Q2 and Q5: which measure tells relations apart, {}", what(cell));
    (!rows.is_empty()).then_some(Section { title, table: Some(Table { columns, rows }), text })
}

/// The second half of Q.5: sizes of suites.
fn sizes(results: &Results, cells: &[&Cell]) -> Section {
    let number = Column::number;
    let mut columns =
        ["pairs", "suites", "Cov", "MC", "CV of Cov", "CV of MC", "ratio"].map(number).to_vec();
    columns[3].emphasis = true;
    if results.paper.is_some() {
        columns.extend(["CV of Cov, paper", "CV of MC, paper"].map(number));
    }
    let rows = cells.iter().map(|cell| {
        let mut row = vec![thousands(cell.size), cell.suites.to_string()];
        row.extend(match cell.means(Criterion::Line) {
            Some((coverage, mc)) => [percent(coverage), percent(mc)],
            None => [unknown(), unknown()],
        });
        row.extend(match cell.sensitivity(Criterion::Line) {
            Some(of) => [
                format!("{:.3}", of.coverage.value),
                format!("{:.3}", of.mc.value),
                ratio(of.mc.value, of.coverage.value),
            ],
            None => [unknown(), unknown(), unknown()],
        });
        if let Some(paper) = results.paper {
            row.extend(match paper.variation("line", cell.size) {
                Some((coverage, mc)) => [format!("{coverage:.2}"), format!("{mc:.2}")],
                None => [unknown(), unknown()],
            });
        }
        row
    });
    let table = Table { rows: rows.collect(), columns };
    let text = "By pairs of each relation in a suite: means over relations, of lines.".to_owned();
    Section { title: format!("Q5: sizes of suites, {}", cells[0].target), table: Some(table), text }
}

/// Q.3: time.
fn times(results: &Results, cells: &[&Cell]) -> Section {
    let number = Column::number;
    let columns = ["pairs of a relation", "pairs", "seconds", "processor seconds", "ms a pair"];
    let rows = cells.iter().map(|cell| {
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^52 pairs")]
        let pairs = cell.pairs().max(1) as f64;
        vec![
            if cell.size == 0 { unknown() } else { thousands(cell.size) },
            thousands(cell.pairs()),
            format!("{:.1}", cell.time.wall),
            format!("{:.1}", cell.time.processor),
            format!("{:.2}", 1000.0 * cell.time.processor / pairs),
        ]
    });
    let table = Table { rows: rows.collect(), columns: columns.map(number).to_vec() };
    let mut text = "Mean time of a suite, of all its relations: databases, pairs, both runs of each, and what they \
                    differ in; line coverage comes with it."
        .to_owned();
    if let Some(paper) = results.paper {
        let (coverage, mc) = paper.seconds;
        let _ = write!(
            text,
            " The paper needs {coverage:.0} s for the line coverage of 100 pairs of a relation and {mc:.0} s for \
             their MC, on another machine."
        );
    }
    Section { title: format!("Q3: time, {}", cells[0].target), table: Some(table), text }
}

/// The whole report in Markdown.
pub fn study_markdown(results: &Results) -> String {
    let mut text = format!("# {}\n", results.plan.title);
    if let Some(paper) = results.paper {
        let _ = writeln!(text, "\nBeside the paper's numbers for {}. What differs:\n", paper.name);
        for difference in &results.plan.differs {
            let _ = writeln!(text, "- {difference}");
        }
    }
    for Section { title, table, text: explanation } in study_sections(results) {
        let table = table.map_or_else(String::new, |table| table.to_markdown() + "\n");
        let _ = write!(text, "\n## {title}\n\n{table}{explanation}\n");
    }
    let figures = study_figures(results);
    if !figures.is_empty() {
        text.push_str("\n## Figures\n");
    }
    for (name, _) in figures {
        let _ = writeln!(text, "\n![{name}]({name})");
    }
    text
}

/// The whole report as a page.
pub fn study_sheet(results: &Results) -> Sheet {
    let mut parts = Vec::new();
    if let Some(paper) = results.paper {
        let differs = results.plan.differs.join(" ");
        let text =
            format!("Beside the paper's numbers for {}. What differs: {differs}", paper.name);
        parts.push(Part::Text(text));
    }
    for Section { title, table, text } in study_sections(results) {
        parts.push(Part::Heading(title));
        parts.extend(table.map(Part::Table));
        parts.push(Part::Text(text));
    }
    let figures = study_figures(results).into_iter();
    parts.extend(figures.map(|(name, figure)| Part::Picture(figure, name)));
    Sheet { title: results.plan.title.clone(), parts }
}

/// The figures, by the name of their file.
pub fn study_figures(results: &Results) -> BTreeMap<String, String> {
    let mut figures = BTreeMap::new();
    if let Some(of) = results.bugs.as_ref().and_then(|bugs| bugs.correlation.as_ref()) {
        figures.insert("bugs.svg".to_owned(), correlations::figure(of));
    }
    for target in results.targets() {
        let Some(cell) = results.main_cell(target) else { continue };
        let file = target.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        let rows = cell.rows(Criterion::Line).filter(|row| row.relation != ALL);
        let samples = rows.map(|row| (row.relation.clone(), row.mc.values.clone())).collect();
        let labels =
            |title: String, x: &str, y: &str| Labels { title, x: x.to_owned(), y: y.to_owned() };
        let title = format!("Metamorphic coverage of suites, {}", what(cell));
        let boxes = Boxes { labels: labels(title, "", "lines validated, in % of all"), samples };
        figures.insert(format!("{file}-relations.svg"), boxes.to_svg());
        let cells: Vec<&Cell> = results.cells.iter().filter(|of| of.target == target).collect();
        if cells.len() < 2 {
            continue;
        }
        let by_size = |name: &str, of: &dyn Fn(&Cell) -> Option<f64>| Series {
            name: name.to_owned(),
            #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
            points: cells.iter().filter_map(|cell| Some((cell.size as f64, of(cell)?))).collect(),
        };
        let pairs = "pairs of each relation in a suite";
        let variation = vec![
            by_size("MC", &|cell| Some(cell.sensitivity(Criterion::Line)?.mc.value)),
            by_size("Cov", &|cell| Some(cell.sensitivity(Criterion::Line)?.coverage.value)),
        ];
        let title = format!("How well relations are told apart, {target}");
        let labels_of_cv = labels(title, pairs, "coefficient of variation");
        let curves = Curves { labels: labels_of_cv, series: variation, logarithmic: true };
        figures.insert(format!("{file}-sizes.svg"), curves.to_svg());
        let relations = cell.rows(Criterion::Line).map(|row| row.relation.as_str());
        let growth = relations.map(|relation| {
            by_size(relation, &|cell| {
                cell.rows(Criterion::Line)
                    .find(|row| row.relation == relation)
                    .map(|row| row.mc.mean)
            })
        });
        let title = format!("Metamorphic coverage by size, {target}");
        let labels = labels(title, pairs, "lines validated, in % of all");
        let curves = Curves { labels, series: growth.collect(), logarithmic: true };
        figures.insert(format!("{file}-growth.svg"), curves.to_svg());
    }
    figures
}

/// All as plain numbers, by the name of their file.
pub fn study_csv(results: &Results) -> Result<BTreeMap<String, String>, metacov_formats::Fault> {
    let mut texts = BTreeMap::from([("results.csv".to_owned(), suites_csv(results)?)]);
    if let Some(bugs) = &results.bugs {
        texts.insert("overlap.csv".to_owned(), bugs::overlaps_csv(bugs));
        let correlation = bugs::correlation_csv(bugs).map(|text| ("bugs.csv".to_owned(), text));
        texts.extend(correlation);
    }
    if let Some(of) = &results.efficiency {
        texts.insert("efficiency.csv".to_owned(), efficiency::pipeline_csv(of));
    }
    Ok(texts)
}

fn suites_csv(results: &Results) -> Result<String, metacov_formats::Fault> {
    let headings = [
        "target",
        "build",
        "size",
        "suite",
        "seed",
        "relation",
        "criterion",
        "pairs",
        "failed",
        "sites",
        "executed",
        "validated",
    ];
    let mut text = line(&headings.map(str::to_owned));
    for outcome in &results.outcomes {
        for of in outcome.record()?.measurements {
            text.push_str(&line(&[
                outcome.target.clone(),
                outcome.build.clone(),
                outcome.size.to_string(),
                outcome.number.to_string(),
                outcome.seed.to_string(),
                of.relation,
                of.criterion.to_string(),
                of.pairs.to_string(),
                of.failed.to_string(),
                of.sites.to_string(),
                of.executed.to_string(),
                of.validated.to_string(),
            ]));
        }
    }
    Ok(text)
}

fn what(cell: &Cell) -> String {
    let suites = if cell.suites == 1 { "suite" } else { "suites" };
    match cell.size {
        0 => format!("{}, {} {suites}", cell.target, cell.suites),
        size => format!("{}, {} {suites} of {size} pairs each", cell.target, cell.suites),
    }
}

fn share(part: f64, whole: f64) -> String {
    if whole > 0.0 { percent(100.0 * part / whole) } else { unknown() }
}

fn ratio(one: f64, other: f64) -> String {
    if other > 0.0 { format!("{:.1}", one / other) } else { unknown() }
}
