//! Switches of SQLite's optimiser, as statements of its shell.

const PREFIX: &str = ".testctrl optimizations ";

/// The statement that switches optimisations off: a bit each, as `sqlite3_test_control` has them.
pub(crate) fn statement(mask: u32) -> String {
    format!("{PREFIX}{mask:#x}")
}

/// The optimisations that a statement switches off, if it is one that does.
pub fn mask(statement: &str) -> Option<u32> {
    let mask = statement.strip_prefix(PREFIX)?.trim();
    u32::from_str_radix(mask.strip_prefix("0x")?, 16).ok()
}
