//! What edits of an engine's statements need to know of its dialect: the tokens, and which
//! statements only change how the others run.

use super::token::Brackets;

/// The settings of an engine, and how its statements are split into tokens.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) brackets: Brackets,
    /// Whether a statement is one.
    pub(crate) is_setting: fn(&str) -> bool,
    /// Settings that change less than this one.
    pub(crate) simpler: fn(&str) -> Vec<String>,
    /// Settings that each change one thing, or everything.
    pub(crate) single: fn() -> Vec<String>,
}
