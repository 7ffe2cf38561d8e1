//! The report of any study, formatted for output.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::Table;
use crate::html::{Part, Sheet};

/// The report of a study.
pub struct Report {
    /// The title.
    pub title: String,
    /// The part of the paper it is compared with, and the differences.
    pub beside: Option<(String, Vec<String>)>,
    /// The tables.
    pub sections: Vec<Section>,
    /// The figures (SVG), by file name.
    pub figures: BTreeMap<String, String>,
    /// All numbers (CSV), by file name.
    pub numbers: BTreeMap<String, String>,
}

/// A table of a study, with its explanation.
pub struct Section {
    /// The question.
    pub title: String,
    /// The answer, if it was measured.
    pub table: Option<Table>,
    /// How to read it, and what it means.
    pub text: String,
}

impl Report {
    /// Formats it for a terminal.
    pub fn to_terminal(&self, color: bool) -> String {
        let mut text = String::new();
        for Section { title, table, text: explanation } in &self.sections {
            let table = table.as_ref().map(|table| table.to_terminal(color)).unwrap_or_default();
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = write!(text, "{gap}{title}\n{table}{explanation}\n");
        }
        text
    }

    /// Formats it as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# {}\n", self.title);
        if let Some((what, differs)) = &self.beside {
            let heading = if differs.is_empty() { "" } else { " What differs:\n" };
            let _ = writeln!(text, "\n{what}{heading}");
            for difference in differs {
                let _ = writeln!(text, "- {difference}");
            }
        }
        for Section { title, table, text: explanation } in &self.sections {
            let table = table.as_ref().map_or_else(String::new, |table| table.to_markdown() + "\n");
            let _ = write!(text, "\n## {title}\n\n{table}{explanation}\n");
        }
        if !self.figures.is_empty() {
            text.push_str("\n## Figures\n");
        }
        for name in self.figures.keys() {
            let _ = writeln!(text, "\n![{name}]({name})");
        }
        text
    }

    /// Formats it as a page.
    pub fn to_sheet(&self) -> Sheet {
        let mut parts = Vec::new();
        if let Some((what, differs)) = &self.beside {
            parts.push(Part::Text(match &differs[..] {
                [] => what.clone(),
                differs => format!("{what} What differs: {}", differs.join(" ")),
            }));
        }
        for Section { title, table, text } in &self.sections {
            parts.push(Part::Heading(title.clone()));
            parts.extend(table.clone().map(Part::Table));
            parts.push(Part::Text(text.clone()));
        }
        let figures = self.figures.iter();
        parts.extend(figures.map(|(name, figure)| Part::Picture(figure.clone(), name.clone())));
        Sheet { title: self.title.clone(), parts }
    }
}
