//! Sites: the places of a build that run or do not run, and the table that numbers them.

mod criterion;
mod mark;
mod renumbering;
mod same_build;
mod site;
mod symbols;
mod table;

pub use criterion::{Criteria, Criterion};
pub use mark::Mark;
pub use renumbering::Renumbering;
pub use same_build::{absorb_run, same_build};
pub use site::{BranchKey, BranchNaming, Element, FileId, Site, SiteId, Span};
pub use symbols::Symbol;
pub use table::{BuildId, SiteTable, TableData, TableId};
