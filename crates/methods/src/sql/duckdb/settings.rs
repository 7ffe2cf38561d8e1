//! Settings of DuckDB's optimiser, as statements.

/// Enables the optimiser.
pub(crate) const ON: &str = "PRAGMA enable_optimizer";

/// Disables the optimiser.
pub(crate) const OFF: &str = "PRAGMA disable_optimizer";

const DISABLED: &str = "SET disabled_optimizers = ";

/// Statements that restore the defaults.
pub const RESETS: &[&str] = &[ON, "SET disabled_optimizers = ''"];

/// Optimisers that all versions since 0.5 have, by name.
///
/// Rule: `filter_pushdown` stays enabled while others are: DuckDB 2.0.0 loses a filter without it
/// (`docs/sql-engines.md`).
pub(crate) const OPTIMIZERS: &[&str] = &[
    "expression_rewriter",
    "filter_pullup",
    "regex_range",
    "in_clause",
    "join_order",
    "deliminator",
    "unused_columns",
    "statistics_propagation",
    "common_aggregate",
    "column_lifetime",
    "top_n",
    "reorder_filter",
];

/// The statement that disables some optimisers.
pub(crate) fn disable(optimizers: &[&str]) -> String {
    format!("{DISABLED}'{}'", optimizers.join(","))
}

/// Whether a statement only changes how the others run.
pub fn is_setting(statement: &str) -> bool {
    statement == ON || statement == OFF || statement.starts_with(DISABLED)
}
