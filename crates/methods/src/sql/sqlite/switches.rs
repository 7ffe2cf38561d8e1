//! Switches of SQLite's optimiser, as statements of its shell.

const PREFIX: &str = ".testctrl optimizations ";

/// The statement that disables optimisations: one bit each, as for `sqlite3_test_control`.
pub(crate) fn statement(mask: u32) -> String {
    format!("{PREFIX}{mask:#x}")
}

/// Returns the optimisations that a statement disables, if it is such a statement.
pub fn mask(statement: &str) -> Option<u32> {
    let mask = statement.strip_prefix(PREFIX)?.trim();
    u32::from_str_radix(mask.strip_prefix("0x")?, 16).ok()
}
