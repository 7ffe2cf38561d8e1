//! Query plans, distinguished by their operations and not by the names in them.

use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::FixedState;
use metacov_core::{Outcome, Value};

/// The statement that shows the plan of a query; none of a command of the shell.
pub(crate) fn explain(query: &str) -> Option<String> {
    (!query.starts_with('.')).then(|| format!("EXPLAIN QUERY PLAN {query}"))
}

/// A hash of the plan that SQLite has returned: the steps in their order and depth, without the
/// names of tables, indexes and columns. None if there is no plan.
pub(crate) fn digest(outcome: &Outcome) -> Option<u64> {
    let Outcome::Rows(rows) = outcome else { return None };
    let mut hasher = FixedState::default().build_hasher();
    // The depth of each step, by its number.
    let mut depths: Vec<(i64, u64)> = Vec::new();
    for row in rows {
        let [Value::Integer(id), Value::Integer(parent), _, Value::Text(detail)] = &row[..] else {
            return None;
        };
        let above = depths.iter().rev().find(|(above, _)| above == parent);
        let depth = above.map_or(0, |(_, depth)| depth + 1);
        depths.push((*id, depth));
        hasher.write_u64(depth);
        hasher.write(&normalised(detail));
    }
    Some(hasher.finish())
}

/// A step without names and numbers: SQLite's own words are in capital letters.
fn normalised(detail: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(detail.len());
    for part in detail.chunk_by(|a, b| is_of_word(*a) && is_of_word(*b)) {
        let is_own = part.iter().all(u8::is_ascii_uppercase);
        let is_sign = !is_of_word(part[0]);
        text.extend_from_slice(if is_own || is_sign { part } else { b"x" });
    }
    text
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(steps: &[(i64, i64, &str)]) -> Option<u64> {
        let row = |(id, parent, detail): &(i64, i64, &str)| {
            let text = Value::Text(detail.as_bytes().to_vec());
            vec![Value::Integer(*id), Value::Integer(*parent), Value::Integer(0), text]
        };
        digest(&Outcome::Rows(steps.iter().map(row).collect()))
    }

    #[test]
    fn plans_differ_by_steps_and_not_by_names() {
        let of =
            |table: &str| plan(&[(2, 0, &format!("SEARCH {table} USING INDEX i_{table} (c0=?)"))]);
        assert_eq!(of("t0"), of("v11"));
        assert_ne!(of("t0"), plan(&[(2, 0, "SCAN t0")]));
        assert_ne!(
            plan(&[(2, 0, "SCAN t0"), (3, 2, "SCAN t1")]),
            plan(&[(2, 0, "SCAN t0"), (3, 0, "SCAN t1")])
        );
        assert_eq!(digest(&Outcome::Error { code: 1, message: String::new() }), None);
    }
}
