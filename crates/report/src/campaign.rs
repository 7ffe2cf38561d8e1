//! Campaigns: one as tables, many as a study.

mod many;
mod one;
mod status;

pub use many::campaigns_report;
pub use one::{findings, notes, pairs, sparkline};
pub use status::status;
