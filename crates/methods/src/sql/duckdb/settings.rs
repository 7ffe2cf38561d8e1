//! Settings of DuckDB's optimiser, as statements.

use super::dialect::Version;
use crate::sql::settings::Settings;
use crate::sql::token::Brackets;

/// Enables the optimiser.
pub(crate) const ON: &str = "PRAGMA enable_optimizer";

/// Disables the optimiser.
pub(crate) const OFF: &str = "PRAGMA disable_optimizer";

const DISABLED: &str = "SET disabled_optimizers = ";

/// Statements that restore the defaults.
pub const RESETS: &[&str] = &[ON, "SET disabled_optimizers = ''"];

/// Optimisers by name, and the first version that is known to have each.
///
/// Rule: `filter_pushdown` stays enabled while others are: DuckDB 2.0.0 loses a filter without it
/// (`docs/sql-engines.md`).
pub(crate) const OPTIMIZERS: &[(Version, &[&str])] = &[
    (
        (0, 5, 0),
        &[
            "expression_rewriter",
            "filter_pullup",
            "regex_range",
            "in_clause",
            "join_order",
            "deliminator",
            "unused_columns",
            "statistics_propagation",
            "common_aggregate",
            "common_subexpressions",
            "column_lifetime",
            "top_n",
            "reorder_filter",
        ],
    ),
    ((0, 10, 3), &["compressed_materialization", "duplicate_groups", "unnest_rewriter"]),
    (
        (1, 1, 3),
        &[
            "build_side_probe_side",
            "cte_filter_pusher",
            "join_filter_pushdown",
            "limit_pushdown",
            "materialized_cte",
        ],
    ),
    ((1, 2, 2), &["empty_result_pullup", "late_materialization"]),
    ((1, 4, 5), &["cte_inlining"]),
    (
        (1, 5, 6),
        &[
            "common_subplan",
            "join_elimination",
            "row_group_pruner",
            "top_n_window_elimination",
            "window_self_join",
        ],
    ),
    (
        (2, 0, 0),
        &[
            "aggregate_function_rewriter",
            "aggregate_reuse",
            "distinct_aggregate_rewrite",
            "grouping_sets",
            "outer_join_simplification",
            "partial_aggregate_pushdown",
            "partitioned_execution",
            "projection_placement",
            "projection_pullup",
            "redundant_order_keys",
            "scalar_fn_pushdown",
            "type_pushdown",
            "window_rewriter",
        ],
    ),
];

/// The names of the optimisers of the versions that `is_wanted` accepts.
pub(crate) fn optimizers(is_wanted: impl Fn(Version) -> bool) -> Vec<&'static str> {
    let wanted = OPTIMIZERS.iter().filter(|(since, _)| is_wanted(*since));
    wanted.flat_map(|(_, names)| names.iter().copied()).collect()
}

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
        let one = optimizers(|_| true).into_iter().map(|name| disable(&[name]));
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
