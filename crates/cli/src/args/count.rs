//! How numbers of things are read.

use std::str::FromStr;

/// Reads a number that cannot be zero.
pub fn positive<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "expected a whole number, 1 or more")
}
