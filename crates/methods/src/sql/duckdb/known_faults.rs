//! Faults of released versions that the generator avoids, so that campaigns find others.
//! `docs/found-bugs-duckdb.md` describes them. If a test in
//! `crates/cli/tests/end_to_end/duckdb/known_faults.rs` fails, the fault is gone from the newest
//! version: it then gets a last version here, or the code that avoids it is removed.

use super::dialect::Version;

/// A fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// The first version that has it.
    pub(crate) since: Version,
}

/// A predicate on a text that is a CASE of constants, one of them NULL, accepts rows for which it is
/// NULL, or drops a row for which it is true. NULLIF is such a CASE.
pub(crate) const CONSTANT_CASE: Fault = Fault { since: (2, 0, 0) };

/// EXISTS of an outer join whose inner side has no rows is false.
pub(crate) const EXISTS_OUTER_JOIN: Fault = Fault { since: (2, 0, 0) };

/// A sum of UBIGINT and a constant that is compared with a constant beyond BIGINT fails an internal
/// check.
pub(crate) const UBIGINT_SUM: Fault = Fault { since: (0, 10, 0) };

/// The function `cbrt` of an argument with one possible value fails an internal check.
pub(crate) const CBRT: Fault = Fault { since: (2, 0, 0) };
