//! DuckDB: releases from the packages of Python. A binary package exports DuckDB's C interface and
//! is the library without counters. A source package is compiled to the one with counters.

mod connection;
mod counting;
mod functions;
mod permission;
mod session;
mod sources;
mod symbols;
mod wheel;

use std::io;
use std::path::{Path, PathBuf};

use metacov_core::Method;
use metacov_exec::{Artifact, BuildOptions, OpenOptions, Session, Target};

use session::DuckdbSession;

/// Releases, oldest first. Those between are left out: one of each minor version is enough to find
/// out when a fault came and went.
const VERSIONS: &[&str] = &[
    "0.1.6", "0.1.7", "0.3.1", "0.3.4", "0.4.0", "0.5.1", "0.6.1", "0.7.1", "0.8.1", "0.9.2",
    "0.10.3", "1.0.0", "1.1.3", "1.2.2", "1.3.2", "1.4.5", "1.5.6", "2.0.0",
];

/// DuckDB.
pub(crate) struct Duckdb;

impl Target for Duckdb {
    fn name(&self) -> &'static str {
        "duckdb"
    }

    fn method(&self) -> &'static dyn Method {
        metacov_methods::DUCKDB
    }

    fn default_version(&self) -> &'static str {
        "2.0.0"
    }

    fn versions(&self) -> Vec<&'static str> {
        VERSIONS.to_vec()
    }

    fn find(&self, version: &str, cache: &Path) -> io::Result<Option<Artifact>> {
        let Some(released) = wheel::find(version, cache)? else { return Ok(None) };
        let counting = counting::find(version, cache, &released.plain)?;
        Ok(Some(counting.unwrap_or(released)))
    }

    fn build(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<Artifact> {
        wheel::check(version)?;
        counting::check(version)?;
        let released = wheel::install(version, options.cache)?;
        counting::build(version, options, &released.plain)
    }

    fn build_plain(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<Artifact> {
        wheel::install(version, options.cache)
    }

    fn is_released(&self) -> bool {
        true
    }

    fn refusal(&self, statement: &str) -> Option<String> {
        permission::refusal(statement)
    }

    fn build_mutants(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<PathBuf> {
        counting::check(version)?;
        counting::build_mutants(version, options)
    }

    fn open(&self, library: &Path, options: &OpenOptions<'_>) -> io::Result<Box<dyn Session>> {
        Ok(Box::new(DuckdbSession::open(library, options)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_sorted_and_have_the_default() {
        let numbers = |text: &str| -> Vec<u32> {
            text.split('.').map(|number| number.parse().unwrap()).collect()
        };
        assert!(VERSIONS.windows(2).all(|pair| numbers(pair[0]) < numbers(pair[1])));
        assert!(VERSIONS.contains(&Duckdb.default_version()));
        assert!(counting::VERSIONS.iter().all(|version| VERSIONS.contains(version)));
    }
}
