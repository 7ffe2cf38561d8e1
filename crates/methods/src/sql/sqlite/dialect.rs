//! The differences between builds of a database system.

use metacov_core::Facts;

/// The first minor version with mathematical functions; older ones ignore the option.
const MATH_SINCE: u16 = 35;

/// A database system as the generator sees it: its version and the options that it was built with.
#[expect(clippy::struct_excessive_bools, reason = "each is a part that a build has or lacks")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The name of the system.
    pub name: &'static str,
    /// The minor version: 54 is SQLite 3.54. Newer features are not used. Versions before 3.28 lack
    /// features that the generator requires (truth values, window frames).
    pub version: u16,
    /// The virtual tables of full text search, version 4.
    pub fts4: bool,
    /// The virtual tables of full text search, version 5.
    pub fts5: bool,
    /// The virtual tables of rectangles.
    pub rtree: bool,
    /// The virtual table of pages.
    pub dbstat: bool,
    /// `sqrt`, `sin` and the like.
    pub math: bool,
    /// `soundex`
    pub soundex: bool,
}

impl Dialect {
    /// SQLite as the `libsqlite3-sys` crate bundles it, which has no mathematical functions.
    pub const SQLITE: Self = Self {
        name: "sqlite",
        version: 54,
        fts4: true,
        fts5: true,
        rtree: true,
        dbstat: true,
        math: false,
        soundex: true,
    };

    /// SQLite of a minor version without any extension: what every build understands.
    pub const fn plain_sqlite(version: u16) -> Self {
        Self {
            version,
            fts4: false,
            fts5: false,
            rtree: false,
            dbstat: false,
            math: false,
            soundex: false,
            ..Self::SQLITE
        }
    }

    /// Returns the dialect of a library that reports this version and these compile-time options.
    pub fn of(facts: &Facts) -> Self {
        let version = facts.get("version").map_or("", String::as_str);
        let minor = version.split('.').nth(1).and_then(|minor| minor.parse().ok()).unwrap_or(0);
        let has = |option: &str| facts.contains_key(option);
        Self {
            fts4: has("ENABLE_FTS4"),
            fts5: has("ENABLE_FTS5"),
            rtree: has("ENABLE_RTREE"),
            dbstat: has("ENABLE_DBSTAT_VTAB"),
            math: has("ENABLE_MATH_FUNCTIONS") && minor >= MATH_SINCE,
            soundex: has("SOUNDEX"),
            ..Self::plain_sqlite(minor)
        }
    }

    /// The compile-time options that the dialect depends on.
    pub const OPTIONS: &'static [&'static str] = &[
        "ENABLE_FTS4",
        "ENABLE_FTS5",
        "ENABLE_RTREE",
        "ENABLE_DBSTAT_VTAB",
        "ENABLE_MATH_FUNCTIONS",
        "SOUNDEX",
    ];

    /// Whether a feature of this minor version is available.
    pub(crate) fn has(&self, since: u16) -> bool {
        self.version >= since
    }
}
