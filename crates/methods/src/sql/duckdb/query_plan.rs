//! Query plans, distinguished by their operators and not by the names in them.

use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::FixedState;
use metacov_core::{Outcome, Value};

use super::is_setting;

/// The statement that shows the plan of a query; none of a setting.
pub(crate) fn explain(query: &str) -> Option<String> {
    (!is_setting(query)).then(|| format!("EXPLAIN {query}"))
}

/// A hash of the plan that DuckDB has returned: its operators in their order. They are in capital
/// letters, unlike all names and functions that the generator uses. None if there is no plan.
pub(crate) fn digest(outcome: &Outcome) -> Option<u64> {
    let Outcome::Rows(rows) = outcome else { return None };
    let mut hasher = FixedState::default().build_hasher();
    let mut operators = 0_u64;
    for value in rows.iter().flatten() {
        let Value::Text(text) = value else { continue };
        let words = text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        for word in words.filter(|word| is_operator(word)) {
            hasher.write(word);
            hasher.write_u8(0);
            operators += 1;
        }
    }
    (operators > 0).then(|| hasher.finish())
}

fn is_operator(word: &[u8]) -> bool {
    word.len() > 2 && word.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Option<u64> {
        let row = ["physical_plan", text].map(|text| Value::Text(text.as_bytes().to_vec()));
        digest(&Outcome::Rows(vec![row.to_vec()]))
    }

    #[test]
    fn plans_differ_by_operators_and_not_by_names() {
        let scan = |table: &str| plan(&format!("│ PROJECTION │ c0 │ SEQ_SCAN │ {table} │ ~3 rows"));
        assert!(scan("t0").is_some());
        assert_eq!(scan("t0"), scan("v11"));
        assert_ne!(scan("t0"), plan("│ PROJECTION │ c0 │ INDEX_SCAN │ t0"));
        assert_eq!(plan("nothing"), None);
        assert_eq!(explain("PRAGMA enable_optimizer"), None);
    }
}
