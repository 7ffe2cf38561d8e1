//! Other versions of SQLite, from the packages that bundle them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use metacov_exec::Artifact;
use metacov_runtime::Compiler;

use super::VERSION;
use super::build::{LIBRARIES, OPTIONS, compile};
use super::embedded;
use crate::cache;
use crate::package;

/// The package that bundles SQLite.
const PACKAGE: &str = "libsqlite3-sys";

/// Versions of SQLite, and the version of the package that bundles each.
pub(super) const VERSIONS: &[(&str, &str)] = &[
    ("3.24.0", "0.9.4"),
    ("3.25.2", "0.10.0"),
    ("3.26.0", "0.12.0"),
    ("3.27.2", "0.14.0"),
    ("3.28.0", "0.15.0"),
    ("3.29.0", "0.16.0"),
    ("3.30.1", "0.17.1"),
    ("3.31.0", "0.17.3"),
    ("3.31.1", "0.18.0"),
    ("3.33.0", "0.20.1"),
    ("3.35.4", "0.22.2"),
    ("3.36.0", "0.23.1"),
    ("3.37.0", "0.23.2"),
    ("3.38.0", "0.24.1"),
    ("3.38.2", "0.24.2"),
    ("3.39.0", "0.25.0"),
    ("3.39.2", "0.25.2"),
    ("3.41.2", "0.26.0"),
    ("3.44.0", "0.27.0"),
    ("3.45.0", "0.28.0"),
    ("3.46.0", "0.30.1"),
    ("3.48.0", "0.31.0"),
    ("3.49.1", "0.33.0"),
    ("3.49.2", "0.34.0"),
    ("3.50.2", "0.35.0"),
    ("3.51.1", "0.36.0"),
    ("3.51.3", "0.37.0"),
    ("3.53.1", "0.38.0"),
    ("3.53.2", "0.38.2"),
    ("3.54.0", "0.39.0"),
];

/// Finds a version that is included in the binary or was built before.
pub(super) fn find(version: &str, cache: &Path) -> io::Result<Option<Artifact>> {
    if version == VERSION {
        let folder = embedded::unpack(cache)?;
        return Ok(Some(cache::artifact(folder, embedded::FOLDER.to_owned(), &LIBRARIES)));
    }
    cache::find(place(version, cache), &LIBRARIES)
}

/// Fetches a version with cargo and compiles it. It appears complete or not at all.
pub(super) fn build(version: &str, compiler: &Compiler, cache: &Path) -> io::Result<Artifact> {
    if let Some(target) = find(version, cache)? {
        return Ok(target);
    }
    let package = VERSIONS.iter().find(|(known, _)| *known == version);
    let Some((_, package)) = package else {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            "no package has this version: metacov target list shows all versions",
        ));
    };
    cache::install(&place(version, cache), |folder| {
        let fetched = package::fetch(PACKAGE, package, &folder.join("fetch"))?;
        compile(compiler, &fetched.join("sqlite3"), folder)?;
        std::fs::remove_dir_all(folder.join("fetch"))?;
        cache::write_compiled_in(folder)
    })?;
    find(version, cache)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// The folder of a version. Its name depends on how the version is built.
fn place(version: &str, cache: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (
        OPTIONS,
        LIBRARIES.plain_library,
        metacov_runtime::COUNTING_LEVEL,
        metacov_runtime::SOURCE,
        metacov_runtime::LINKER_SCRIPT,
    )
        .hash(&mut hasher);
    cache.join(format!("sqlite-{version}-{:016x}", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use metacov_exec::Flavour;

    use super::*;

    #[test]
    fn versions_are_sorted_and_unique() {
        let numbers = |text: &str| -> Vec<u32> {
            text.split('.').map(|number| number.parse().unwrap()).collect()
        };
        let newest = (VERSION, "999.0.0");
        let all: Vec<_> = VERSIONS.iter().chain([&newest]).collect();
        for pair in all.windows(2) {
            assert!(numbers(pair[0].0) < numbers(pair[1].0), "{pair:?}");
            assert!(numbers(pair[0].1) < numbers(pair[1].1), "{pair:?}");
        }
    }

    #[test]
    fn only_bundled_versions_are_found() {
        let cache = tempfile::tempdir().unwrap();
        let inside = find(VERSION, cache.path()).unwrap().unwrap();
        assert!(
            inside.library(Flavour::Counting).is_some_and(Path::is_file)
                && inside.folder.join("sqlite3.gcno").is_file()
        );
        assert!(find("3.29.0", cache.path()).unwrap().is_none());
        let error = build("3.0.0", &Compiler::of("gcc".as_ref()), cache.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
