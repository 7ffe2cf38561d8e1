//! Z3: the programs in the packages of Python, and the library that is compiled from a source package.

mod counting;

use std::io;
use std::path::{Path, PathBuf};

use metacov_exec::{Artifact, BuildOptions};

use crate::cache;
use crate::wheel;

/// The Python package.
const PACKAGE: &str = "z3-solver";

/// The program in its folder.
const PROGRAM: &str = "z3";

/// Releases, oldest first. Those between are left out: one of each minor version is enough to find
/// out when a fault came and went, except for 4.8, which has most of the known bugs.
pub(super) const VERSIONS: &[&str] = &[
    "4.8.5", "4.8.6", "4.8.7", "4.8.8", "4.8.9", "4.8.10", "4.8.11", "4.8.12", "4.8.13", "4.8.14",
    "4.8.17", "4.9.1", "4.10.2", "4.11.2", "4.12.1", "4.13.0", "4.15.0", "5.4.0",
];

/// Finds a release that was fetched before, with the library with counters if that was built.
pub(super) fn find(version: &str, cache: &Path) -> io::Result<Option<Artifact>> {
    let Some(released) = cache::find_program(place(version, cache), PROGRAM)? else {
        return Ok(None);
    };
    let counting = counting::find(version, cache, &released.plain)?;
    Ok(Some(counting.unwrap_or(released)))
}

/// Compiles a release with counters.
pub(super) fn compile(version: &str, build: &BuildOptions<'_>) -> io::Result<()> {
    counting::build(version, build)?;
    install(version, build)
}

/// Fetches a release. It appears complete or not at all.
pub(super) fn install(version: &str, build: &BuildOptions<'_>) -> io::Result<()> {
    cache::install(&place(version, build.cache), |folder| {
        let package = folder.join("package");
        wheel::fetch(PACKAGE, &format!("{version}.0"), &package)?;
        std::fs::rename(package.join("bin/z3"), folder.join(PROGRAM))?;
        std::fs::remove_dir_all(&package)
    })
}

fn place(version: &str, cache: &Path) -> PathBuf {
    cache.join(format!("z3-{version}-release"))
}
