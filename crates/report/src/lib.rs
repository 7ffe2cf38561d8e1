//! Shows plain results to people.
//!
//! **The key design decision of this crate**: what is shown is made once, as a [`Table`] of words
//! and numbers, and only then dressed for a terminal or for Markdown. Nothing here measures, and
//! no number is made here that the summaries of the core do not hold.

mod campaign;
mod comparison;
pub mod correlations;
mod csv;
pub mod digest;
pub mod html;
mod markdown;
pub mod overlaps;
mod pictures;
mod rows;
mod study;
pub mod suspects;
pub mod svg;
mod table;
mod unvalidated;

pub use campaign::{
    campaigns_report, findings as campaign_findings, pairs as campaign_pairs, sparkline,
};
pub use comparison::{
    comparison_csv, comparison_markdown, comparison_plot, comparison_reading, comparison_sheet,
    comparison_tables,
};
pub use csv::Csv;
pub use markdown::Markdown;
pub use pictures::{Badge, CurvePlot};
pub use rows::{By, Layout, View, table, thousands};
pub use study::{Report, Section, study_report};
pub use table::{Column, Table};
pub use unvalidated::Annotations;
