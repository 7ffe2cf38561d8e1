//! Releases of DuckDB as packages of Python (wheels), fetched by the user's pip.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use metacov_exec::Artifact;

use super::VERSIONS;
use super::symbols::weaken_python;
use crate::cache;
use crate::wheel;

/// The library in its folder.
const LIBRARY: &str = "libduckdb-release.so";

/// Finds a release that was installed before.
pub(super) fn find(version: &str, cache: &Path) -> io::Result<Option<Artifact>> {
    cache::find_program(place(version, cache), LIBRARY)
}

/// Fails unless there is such a release.
pub(super) fn check(version: &str) -> io::Result<()> {
    if VERSIONS.contains(&version) {
        return Ok(());
    }
    let what = "no such release: metacov target list shows all versions";
    Err(io::Error::new(io::ErrorKind::NotFound, what))
}

/// Fetches a release. It appears complete or not at all.
pub(super) fn install(version: &str, cache: &Path) -> io::Result<Artifact> {
    if let Some(found) = find(version, cache)? {
        return Ok(found);
    }
    check(version)?;
    cache::install(&place(version, cache), |folder| {
        let package = folder.join("package");
        wheel::fetch("duckdb", version, &package)?;
        let library = largest_library(&package)?;
        let mut content = fs::read(&library)?;
        if weaken_python(&mut content).is_none() {
            let what = format!("{}: not a library for this machine", library.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        fs::write(folder.join(LIBRARY), content)?;
        fs::remove_dir_all(&package)
    })?;
    find(version, cache)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn place(version: &str, cache: &Path) -> PathBuf {
    cache.join(format!("duckdb-{version}-release"))
}

/// The version that a library is, if it is one that was fetched.
pub(super) fn version_of(library: &Path) -> Option<&str> {
    let folder = library.parent().filter(|_| library.ends_with(LIBRARY))?.file_name()?;
    folder.to_str()?.strip_prefix("duckdb-")?.strip_suffix("-release")
}

/// The largest library below a folder.
fn largest_library(folder: &Path) -> io::Result<PathBuf> {
    let (mut folders, mut found) = (vec![folder.to_owned()], None);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
            if kind.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "so") {
                found = found.max(Some((kind.len(), path)));
            }
        }
    }
    let missing = || io::Error::other("the package has no library");
    found.map(|(_, path)| path).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_found_whole_or_refused() {
        let cache = tempfile::tempdir().unwrap();
        assert!(find("2.0.0", cache.path()).unwrap().is_none());
        let folder = place("2.0.0", cache.path());
        fs::create_dir(&folder).unwrap();
        let error = find("2.0.0", cache.path()).unwrap_err().to_string();
        assert!(error.contains("remove the folder"), "{error}");
        fs::write(folder.join(LIBRARY), "").unwrap();
        let found = find("2.0.0", cache.path()).unwrap().unwrap();
        assert!(found.counting.is_none());
        assert_eq!(version_of(&found.plain), Some("2.0.0"));
        assert_eq!(version_of(Path::new("duckdb-2.0.0-release/other.so")), None);
        let unknown = install("0.0.1", cache.path()).unwrap_err();
        assert_eq!(unknown.kind(), io::ErrorKind::NotFound);
    }
}
