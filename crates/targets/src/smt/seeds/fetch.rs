//! Formulas that packages carry, fetched by the user's package managers.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_runtime::run;

use super::{named, scripts};
use crate::{cache, debian, package};

/// A collection of formulas.
pub struct SeedSource {
    /// Its name on command lines.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Fetches a folder that has the formulas, among other files. A folder to work in is given.
    fetch: fn(&Path) -> io::Result<PathBuf>,
}

/// All collections.
pub const SOURCES: &[SeedSource] = &[
    SeedSource {
        name: "bitwuzla",
        about: "the tests of Bitwuzla in the Rust package bitwuzla-sys 0.8.0: bit-vectors, arrays, floating-point numbers",
        fetch: |folder| package::fetch("bitwuzla-sys", "0.8.0", &folder.join("package")),
    },
    SeedSource {
        name: "cvc4",
        about: "the tests of CVC4 1.8 in the source package of Debian or Ubuntu: all logics",
        fetch: debian_source,
    },
];

impl SeedSource {
    /// Fetches the formulas into the cache, unless that was done before. Returns their folder, which
    /// is complete or not there, and how many they are.
    pub fn fetch(&self, cache: &Path) -> io::Result<(PathBuf, usize)> {
        let place = cache.join(format!("seeds-{}", self.name));
        if !place.is_dir() {
            cache::install(&place, |folder| {
                let work = tempfile::tempdir()?;
                copy_scripts(&(self.fetch)(work.path())?, folder)
            })?;
        }
        let count = scripts(&place)?.len();
        Ok((place, count))
    }
}

/// Copies the scripts below a folder, with the folders that they are in.
fn copy_scripts(from: &Path, to: &Path) -> io::Result<()> {
    let scripts = scripts(from)?;
    if scripts.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the package has no file *.smt2"));
    }
    for script in scripts {
        let copy = to.join(&script.name);
        fs::create_dir_all(copy.parent().unwrap_or(to))?;
        fs::copy(&script.path, &copy).map_err(|error| named(&script.path, &error))?;
    }
    Ok(())
}

/// Fetches and unpacks the scripts in Debian's source package of CVC4.
fn debian_source(folder: &Path) -> io::Result<PathBuf> {
    let archive = debian::fetch("cvc4", folder)?.original;
    let unpacked = folder.join("unpacked");
    fs::create_dir(&unpacked)?;
    let mut tar = Command::new("tar");
    run(tar.arg("-xf").arg(archive).args(["--wildcards", "*.smt2"]).current_dir(&unpacked))?;
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_copied_with_their_folders_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("package/test/sat")).unwrap();
        let write = |name: &str| fs::write(folder.path().join(name), "(check-sat)").unwrap();
        write("package/test/sat/a.smt2");
        write("package/README");
        let to = folder.path().join("copy");
        copy_scripts(&folder.path().join("package"), &to).unwrap();
        assert!(to.join("test/sat/a.smt2").is_file());
        assert!(!to.join("README").exists());
        let empty = folder.path().join("empty");
        fs::create_dir(&empty).unwrap();
        assert!(copy_scripts(&empty, &to).is_err());
    }
}
