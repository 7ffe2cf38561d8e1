//! The differences between versions of DuckDB.

use metacov_core::Facts;

use super::known_faults::Fault;

/// A version: major, minor, patch.
pub(crate) type Version = (u16, u16, u16);

/// The first version with the types and functions of today's DuckDB.
pub(crate) const MODERN: Version = (0, 3, 0);

/// DuckDB as the generator sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    version: Version,
}

impl Dialect {
    /// The newest version that the generator was written for.
    pub const NEWEST: Self = Self { version: (2, 0, 0) };

    /// Returns the dialect of a library that reports this version.
    pub fn of(facts: &Facts) -> Self {
        let version = facts.get("version").map_or("", String::as_str);
        let mut numbers = version.split('.').map(|number| {
            // A build between releases is called 0.5.2-dev12.
            let digits = number.split('-').next().unwrap_or_default();
            digits.parse().unwrap_or(0)
        });
        let mut next = || numbers.next().unwrap_or(0);
        Self { version: (next(), next(), next()) }
    }

    /// Whether a feature of this version is available.
    pub(crate) fn has(self, since: Version) -> bool {
        self.version >= since
    }

    /// Whether this version has a fault that the generator avoids.
    pub(crate) fn suffers(self, fault: Fault) -> bool {
        self.has(fault.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        let of = |version: &str| Dialect::of(&Facts::from([("version".into(), version.into())]));
        assert!(of("0.10.3").has((0, 5, 1)));
        assert!(!of("0.5.1").has((0, 10, 0)));
        assert!(of("1.5.6-dev3").has((1, 5, 6)));
        assert!(!of("").has(MODERN));
    }
}
