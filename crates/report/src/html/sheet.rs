//! A page in a single file: tables and pictures, without scripts.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::page::rules;
use crate::address::percent_encoded;
use crate::{Column, Table};

/// What it may load: only what it contains.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// The style of all pages.
const STYLE: &str = include_str!("assets/style.css");

/// A page in one file.
pub struct Sheet {
    /// The title.
    pub title: String,
    /// The contents, from top to bottom.
    pub parts: Vec<Part>,
}

/// A part of a page.
pub enum Part {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// A table.
    Table(Table),
    /// A picture (SVG), and its description.
    Picture(String, String),
}

impl Sheet {
    /// Returns the file.
    pub fn to_html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    (rules(POLICY))
                    title { (self.title) " · metacov" }
                    // It is a constant, and contains nothing that would end the element.
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header.top { strong { "metacov" } }
                    main {
                        h1 { (self.title) }
                        @for part in &self.parts { (shown(part)) }
                    }
                }
            }
        };
        page.into_string()
    }
}

fn shown(part: &Part) -> Markup {
    match part {
        Part::Heading(text) => html! { h2 { (text) } },
        Part::Text(text) => html! { p.lead { (text) } },
        Part::Table(table) => html! { div.scroll { (shown_table(table, None)) } },
        Part::Picture(svg, alt) => {
            html! { figure.scroll { img src={ "data:image/svg+xml," (percent_encoded(svg, b"-_.~ /=:;,'()!*+")) } alt=(alt); } }
        }
    }
}

/// A table of this class.
pub(super) fn shown_table(table: &Table, kind: Option<&str>) -> Markup {
    let class = |column: &Column| match (column.numeric, column.emphasis) {
        (false, _) => "text",
        (true, true) => "strong",
        (true, false) => "",
    };
    html! {
        table class=[kind] {
            thead {
                tr { @for column in &table.columns { th class=(class(column)) { (column.heading) } } }
            }
            tbody {
                @for row in &table.rows {
                    tr {
                        @for (cell, column) in row.iter().zip(&table.columns) {
                            td class=(class(column)) { (cell) }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_on_a_sheet_is_text() {
        let columns = vec![Column::word("relation"), Column::number("MC")];
        let hostile = "<script>alert(1)</script>";
        let rows = vec![vec![hostile.to_owned(), "7".to_owned()]];
        let parts = vec![
            Part::Heading(hostile.to_owned()),
            Part::Text(hostile.to_owned()),
            Part::Table(Table { columns, rows }),
            Part::Picture("<svg>\"#%</svg>".to_owned(), hostile.to_owned()),
        ];
        let page = Sheet { title: hostile.to_owned(), parts }.to_html();
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("data:image/svg+xml,%3Csvg%3E%22%23%25%3C/svg%3E"), "{page}");
        assert!(page.contains("<td class=\"\">7</td>"), "{page}");
        assert!(!STYLE.contains("</"), "the style would end before its end");
    }
}
