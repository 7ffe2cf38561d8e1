//! Numbers of things: how they are read, and the old spelling of `--count`.

use std::num::NonZero;
use std::str::FromStr;

use crate::console::Console;

/// `--pairs N`, which is `--count N` now. It is accepted for one release.
#[derive(clap::Args)]
pub struct OldCount {
    /// Deprecated: use --count.
    #[arg(long = "pairs", value_name = "N", value_parser = positive::<NonZero<u64>>, hide = true, conflicts_with = "count")]
    old_count: Option<NonZero<u64>>,
}

impl OldCount {
    /// Returns the given number, if any.
    pub fn get(&self) -> Option<NonZero<u64>> {
        self.old_count
    }

    /// Warns if the old spelling was used.
    pub fn warn(&self, console: &Console) {
        if let Some(count) = self.old_count {
            warn(count, console);
        }
    }
}

/// Reads a number that cannot be zero.
pub fn positive<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "expected a whole number, 1 or more")
}

/// Warns about `--pairs N`.
pub fn warn(count: NonZero<u64>, console: &Console) {
    console.warning(&format!("--pairs {count} is deprecated: use --count {count}"));
}
