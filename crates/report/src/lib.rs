//! Shows plain results to people.
//!
//! **The key design decision of this crate**: what is shown is made once, as a [`Table`] of words
//! and numbers, and only then dressed for a terminal or for Markdown. Nothing here measures, and
//! no number is made here that the summaries of the core do not hold.

pub mod digest;
pub mod html;
mod markdown;
mod rows;
mod table;

pub use markdown::Markdown;
pub use rows::{By, Layout, View, table};
pub use table::Table;
