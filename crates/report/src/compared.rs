//! A comparison of suites in all its formats, with the MC sites that only one of two groups has.

use std::fmt::Write as _;

use metacov_core::{Criteria, Criterion, Suite, Tally};
use metacov_study::RunComparison;

use crate::comparison::{
    comparison_csv, comparison_markdown, comparison_plot, comparison_reading, comparison_sheet,
    comparison_tables,
};
use crate::html::Part;
use crate::{By, Layout, Table, View, table};

/// The heading of the second table.
const ONLY_ONE: &str = "Which MC sites has only one of them?";

/// A comparison, and what is shown with it.
pub struct Compared<'c> {
    /// The comparison.
    pub comparison: &'c RunComparison,
    /// The criterion of plots.
    pub plotted: Criterion,
    /// The MC sites that only one of two groups of one build has.
    pub sets: Option<Table>,
}

/// A format of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedFormat {
    /// Tables and explanations.
    Markdown,
    /// The same as a page, with the plot.
    Html,
    /// All numbers.
    Csv,
    /// A plot.
    Svg,
}

impl ComparedFormat {
    /// The format of files with this extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "md" | "markdown" => Some(ComparedFormat::Markdown),
            "html" => Some(ComparedFormat::Html),
            "csv" => Some(ComparedFormat::Csv),
            "svg" => Some(ComparedFormat::Svg),
            _ => None,
        }
    }
}

impl Compared<'_> {
    /// The table of two groups side by side, with these rows.
    pub fn sets((suite, total): &(Suite, Tally), criteria: Criteria, by: By) -> Table {
        let criteria = criteria.intersection(suite.criteria());
        table(&View { suite, total, criteria, by, layout: Layout::Sets })
    }

    /// Formats it for a terminal.
    pub fn to_terminal(&self, color: bool) -> String {
        let (suites, sensitivities) = comparison_tables(self.comparison);
        let mut text = suites.to_terminal(color);
        if let Some(sensitivities) = sensitivities {
            text.push_str("\nHow well does it tell relations apart?\n");
            text.push_str(&sensitivities.to_terminal(color));
        }
        if let Some(sets) = &self.sets {
            let _ = write!(text, "\n{ONLY_ONE}\n{}", sets.to_terminal(color));
        }
        text
    }

    /// How to read it.
    pub fn notes(&self) -> Vec<String> {
        let sides = self.sets.as_ref().map(|_| self.sides());
        [comparison_reading(self.comparison)].into_iter().chain(sides).collect()
    }

    /// Formats it; `plot` is a picture to show with Markdown.
    pub fn format(&self, format: ComparedFormat, plot: Option<&str>) -> String {
        match format {
            ComparedFormat::Csv => comparison_csv(self.comparison),
            ComparedFormat::Svg => comparison_plot(self.comparison, self.plotted),
            ComparedFormat::Markdown => {
                let mut text = comparison_markdown(self.comparison, plot);
                if let Some(sets) = &self.sets {
                    let _ = write!(text, "\n### {ONLY_ONE}\n\n{}", sets.to_markdown());
                    let _ = writeln!(text, "\n{}", self.sides());
                }
                text
            }
            ComparedFormat::Html => {
                let mut sheet = comparison_sheet(self.comparison, self.plotted);
                if let Some(sets) = &self.sets {
                    sheet.parts.push(Part::Heading(ONLY_ONE.to_owned()));
                    sheet.parts.push(Part::Table(sets.clone()));
                    sheet.parts.push(Part::Text(self.sides()));
                }
                sheet.to_html()
            }
        }
    }

    fn sides(&self) -> String {
        let names = &self.comparison.groups;
        format!("a is {}, b is {}: MC sites of any of their suites", names[0], names[1])
    }
}
