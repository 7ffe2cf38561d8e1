//! Shows plain results to people.
//!
//! **The key design decision of this crate**: output is built once, as a [`Table`] of words and
//! numbers, and only then formatted for a terminal or for Markdown. Nothing here measures, and
//! every number comes from the summaries of the core.

mod address;
mod campaign;
mod checks;
mod compared;
mod comparison;
pub mod correlations;
mod csv;
pub mod digest;
mod failed_side;
mod fold_progress;
mod gates;
pub mod html;
mod junit;
mod left_out;
mod located;
mod markdown;
mod mutants;
mod never_checked;
mod output;
pub mod overlaps;
mod pairs;
mod pictures;
mod planned;
mod present;
mod replays;
mod rows;
mod run_contents;
mod run_log;
mod run_report;
mod screen;
mod study;
mod suite_messages;
pub mod suspects;
pub mod svg;
mod table;
mod target_versions;
mod violations;

pub use campaign::{
    campaigns_report, findings as campaign_findings, notes as campaign_notes,
    pairs as campaign_pairs, show_campaign, show_ended_campaign, sparkline,
    status as campaign_status,
};
pub use checks::{checks_table, missing_pairs};
pub use compared::{Compared, ComparedFormat};
pub use comparison::{
    comparison_csv, comparison_markdown, comparison_plot, comparison_reading, comparison_sheet,
    comparison_sizes, comparison_tables,
};
pub use csv::Csv;
pub use failed_side::{failed_side, failure_notes};
pub use fold_progress::FoldProgress;
pub use gates::{Gates, Metric, Threshold};
pub use junit::Junit;
pub use left_out::{left_out_note, nothing_measured};
pub use located::Located;
pub use markdown::Markdown;
pub use mutants::{MutantFormat, MutantScores};
pub use never_checked::Annotations;
pub use output::{Output, write_text, write_whole, writers};
pub use pairs::{FullPair, PairFilter, PairIndex, VERDICTS as PAIR_VERDICTS};
pub use pictures::{Badge, CurvePlot};
pub use planned::{tasks_table, trials_table};
pub use present::{Origin, Presentation};
pub use replays::replays;
pub use rows::{By, Layout, View, table};
pub use run_contents::run_contents;
pub use run_log::run_log_details;
pub use run_report::RunReport;
pub use screen::{Conclusion, Screen};
pub use study::{Report, Section, study_report};
pub use suite_messages::{checked, chosen_criteria, suite_messages, suite_size};
pub use table::{Column, Table};
pub use target_versions::target_versions;
pub use violations::{PairOrigin, show_violations};
