//! Settings of DuckDB's optimiser, as statements.

use crate::sql::settings::Settings;
use crate::sql::token::Brackets;

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

/// The settings of the optimiser.
pub(crate) const SETTINGS: Settings = Settings {
    brackets: Brackets::List,
    is_setting,
    // With only one of the optimisers disabled, or with one less.
    simpler: |setting| {
        let names = setting.strip_prefix(DISABLED).unwrap_or_default().trim_matches('\'');
        let names: Vec<&str> = names.split(',').filter(|name| !name.is_empty()).collect();
        if names.len() < 2 {
            return Vec::new();
        }
        let without = |name: &str| {
            let others: Vec<&str> = names.iter().copied().filter(|other| *other != name).collect();
            disable(&others)
        };
        let one = names.iter().map(|name| disable(&[name]));
        one.chain(names.iter().map(|name| without(name))).collect()
    },
    single: || {
        let one = OPTIMIZERS.iter().map(|name| disable(&[name]));
        one.chain([OFF.to_owned()]).collect()
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simpler_settings_disable_less() {
        let simpler = (SETTINGS.simpler)(&disable(&["top_n", "in_clause", "join_order"]));
        assert_eq!(simpler[0], "SET disabled_optimizers = 'top_n'");
        assert_eq!(simpler[3], "SET disabled_optimizers = 'in_clause,join_order'");
        assert_eq!(simpler.len(), 6);
        assert!((SETTINGS.simpler)(OFF).is_empty() && (SETTINGS.simpler)(&disable(&[])).is_empty());
        assert!((SETTINGS.single)().iter().all(|setting| is_setting(setting)));
    }
}
