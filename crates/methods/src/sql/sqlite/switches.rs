//! Switches of SQLite's optimiser, as statements of its shell.

use crate::sql::settings::Settings;
use crate::sql::token::Brackets;

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

/// How many bits the optimiser has.
const SWITCHES: u32 = 24;

/// Commands of the shell.
pub(crate) const SETTINGS: Settings = Settings {
    brackets: Brackets::Quote,
    is_setting: |statement| statement.starts_with('.'),
    // With only one of the optimisations disabled, or with one less.
    simpler: |setting| {
        let mask = mask(setting).unwrap_or(0);
        let bits = || (0..u32::BITS).map(|bit| 1 << bit).filter(|bit| mask & bit != 0);
        let one = bits().filter(|bit| *bit != mask);
        one.chain(bits().map(|bit| mask & !bit)).map(statement).collect()
    },
    single: || (0..SWITCHES).map(|bit| 1 << bit).chain([u32::MAX]).map(statement).collect(),
};
