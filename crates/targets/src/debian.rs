//! Source packages of Debian and Ubuntu, fetched by apt-get.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_runtime::run;

/// The archives of a source package.
pub(crate) struct SourcePackage {
    /// What its authors released.
    pub(crate) original: PathBuf,
    /// What Debian adds, such as patches.
    pub(crate) debian: PathBuf,
}

/// Fetches a source package into a folder. The sources of the system are used, but their indexes of
/// source packages, which most systems do not have.
pub(crate) fn fetch(package: &str, folder: &Path) -> io::Result<SourcePackage> {
    let [lists, parts, files] = ["lists", "parts", "files"].map(|name| folder.join(name));
    fs::create_dir_all(lists.join("partial"))?;
    fs::create_dir(&parts)?;
    fs::create_dir(&files)?;
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
        run(command.arg("-q").args(words).current_dir(&files))
    };
    apt(&["update"])?;
    apt(&["source", "--download-only", package])?;
    let archive = |part: &str| {
        let mut found = fs::read_dir(&files)?.filter_map(|entry| Some(entry.ok()?.path()));
        let is_part = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().contains(part))
        };
        let what = || format!("apt-get has fetched no archive *{part}* of {package}");
        found.find(is_part).ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, what()))
    };
    Ok(SourcePackage { original: archive(".orig.tar.")?, debian: archive(".debian.tar.")? })
}

impl SourcePackage {
    /// Unpacks the source into an existing folder, without the folder that the archive begins with,
    /// and applies Debian's patches.
    pub(crate) fn unpack(&self, folder: &Path) -> io::Result<()> {
        let tar = |archive: &Path, words: &[&str]| {
            let mut tar = Command::new("tar");
            tar.arg("-xf").arg(archive).args(words).args(["--no-same-owner", "-C"]);
            run(tar.arg(folder))
        };
        tar(&self.original, &["--strip-components=1"])?;
        tar(&self.debian, &[])?;
        let patches = folder.join("debian/patches");
        for name in series(&fs::read_to_string(patches.join("series")).unwrap_or_default()) {
            let mut patch = Command::new("patch");
            patch.args(["-p1", "--silent", "--force", "-i"]).arg(patches.join(name));
            run(patch.current_dir(folder))
                .map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
        }
        Ok(())
    }
}

/// The patches that a file `series` lists.
fn series(text: &str) -> impl Iterator<Item = &str> {
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| !name.starts_with('#'))
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
    fn a_source_is_unpacked_and_patched() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let patch = "--- a/answer\n+++ b/answer\n@@ -1 +1 @@\n-sat\n+unsat\n";
        let write = |name: &str, text: &str| {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), text).unwrap();
        };
        let pack = |name: &str, what: &str| {
            let mut tar = Command::new("tar");
            run(tar.args(["-cf", name, what]).current_dir(folder.path())).unwrap();
            at(name)
        };
        write("debian/patches/series", "# in this order\n\nanswer.patch -p1\n");
        write("debian/patches/answer.patch", patch);
        let unpack = |answer: &str, to: &str| {
            write("solver-1.0/answer", answer);
            let original = pack("solver_1.0.orig.tar", "solver-1.0");
            let debian = pack("solver_1.0-1.debian.tar", "debian");
            fs::create_dir(at(to)).unwrap();
            SourcePackage { original, debian }.unpack(&at(to))
        };
        unpack("sat\n", "unpacked").unwrap();
        assert_eq!(fs::read_to_string(at("unpacked/answer")).unwrap(), "unsat\n");
        let error = unpack("unknown\n", "other").unwrap_err().to_string();
        assert!(error.contains("answer.patch"), "{error}");
    }
}
