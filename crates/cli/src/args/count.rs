//! The old spelling of `--count`.

use std::num::NonZero;

use crate::console::Console;

/// `--pairs N`, which is `--count N` now. It is accepted for one release.
#[derive(clap::Args)]
pub struct OldCount {
    /// Deprecated: use --count.
    #[arg(long = "pairs", value_name = "N", hide = true, conflicts_with = "count")]
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

/// Warns about `--pairs N`.
pub fn warn(count: NonZero<u64>, console: &Console) {
    console.warning(&format!("--pairs {count} is deprecated: use --count {count}"));
}
