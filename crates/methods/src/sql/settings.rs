//! Statements of an engine that only change how the others run.

/// The settings of an engine.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// Whether a statement is one.
    pub(crate) is_setting: fn(&str) -> bool,
    /// Settings that change less than this one.
    pub(crate) simpler: fn(&str) -> Vec<String>,
    /// Settings that each change one thing, or everything.
    pub(crate) single: fn() -> Vec<String>,
}
