//! Tables of words and numbers.

use std::borrow::Cow;
use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

const HEADING: Style = Style::new().bold();
const EMPHASIS: Style = AnsiColor::Green.on_default();
const GAP: &str = "   ";

/// A table: a heading, then rows with the same number of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// A column and its format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub heading: Cow<'static, str>,
    /// Numbers are aligned to the right, words to the left.
    pub numeric: bool,
    /// Whether this is the most important column.
    pub emphasis: bool,
}

impl Column {
    /// A column of words.
    pub fn word(heading: impl Into<Cow<'static, str>>) -> Self {
        Column { heading: heading.into(), numeric: false, emphasis: false }
    }

    /// A column of numbers.
    pub fn number(heading: impl Into<Cow<'static, str>>) -> Self {
        Column { heading: heading.into(), numeric: true, emphasis: false }
    }

    /// Marks the column as the most important one.
    #[must_use]
    pub fn emphasized(self) -> Self {
        Column { emphasis: true, ..self }
    }
}

impl Table {
    /// Formats the table for a terminal; every line is terminated.
    pub fn to_terminal(&self, color: bool) -> String {
        let headings: Vec<String> =
            self.columns.iter().map(|column| readable(&column.heading)).collect();
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|cell| readable(cell)).collect()).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|at| {
                let cells = rows.iter().map(|row| &row[at]);
                cells.chain([&headings[at]]).map(|cell| cell.width()).max().unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        self.push_line(&mut text, &headings, &widths, |_| color.then_some(HEADING));
        for row in &rows {
            self.push_line(&mut text, row, &widths, |column| {
                (color && column.emphasis).then_some(EMPHASIS)
            });
        }
        text
    }

    fn push_line(
        &self,
        text: &mut String,
        cells: &[String],
        widths: &[usize],
        style: impl Fn(&Column) -> Option<Style>,
    ) {
        let mut line = String::new();
        for ((column, cell), width) in self.columns.iter().zip(cells).zip(widths) {
            if !line.is_empty() {
                line.push_str(GAP);
            }
            let padding = " ".repeat(width - cell.width());
            let cell = match style(column) {
                Some(style) => format!("{style}{cell}{style:#}"),
                None => cell.clone(),
            };
            let (before, after) = if column.numeric { (&*padding, "") } else { ("", &*padding) };
            let _ = write!(line, "{before}{cell}{after}");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }

    /// Formats the table as Markdown; every line is terminated.
    pub fn to_markdown(&self) -> String {
        let mut text = String::from("|");
        for column in &self.columns {
            let _ = write!(text, " {} |", escaped(&column.heading));
        }
        text.push_str("\n|");
        for column in &self.columns {
            text.push_str(if column.numeric { "---:|" } else { "---|" });
        }
        text.push('\n');
        for row in &self.rows {
            text.push('|');
            for (cell, column) in row.iter().zip(&self.columns) {
                let cell = escaped(cell);
                let _ = if column.emphasis {
                    write!(text, " **{cell}** |")
                } else {
                    write!(text, " {cell} |")
                };
            }
            text.push('\n');
        }
        text
    }
}

/// Text without control characters: names come from files, and terminals interpret what is printed.
fn readable(cell: &str) -> String {
    cell.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

/// Text, escaped for Markdown.
fn escaped(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    for letter in readable(cell).chars() {
        if r"|\`*_<>[]#~&".contains(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cell: &str) -> Table {
        let columns = vec![Column::word("file"), Column::number("count").emphasized()];
        Table { columns, rows: vec![vec![cell.to_owned(), "7".to_owned()]] }
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(table("数.c").to_terminal(false), "file   count\n数.c       7\n");
    }

    #[test]
    fn colours_do_not_change_the_alignment() {
        let text = table("a.c").to_terminal(true);
        let plain = text.replace("\x1b[1m", "").replace("\x1b[32m", "").replace("\x1b[0m", "");
        assert_eq!(plain, table("a.c").to_terminal(false));
    }

    #[test]
    fn names_are_escaped_in_markdown() {
        let text = table("operator|<T>(*)").to_markdown();
        assert_eq!(text.lines().last(), Some(r"| operator\|\<T\>(\*) | **7** |"));
    }
}
