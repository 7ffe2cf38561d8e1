//! Campaigns: one as tables, many as a study.

mod many;
mod one;
mod show;
mod status;

pub use many::campaigns_report;
pub use one::{findings, notes, pairs, sparkline};
pub use show::{show_campaign, show_ended_campaign};
pub use status::status;
