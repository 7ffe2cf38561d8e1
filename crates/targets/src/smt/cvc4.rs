//! CVC4: the packages of Debian and Ubuntu, unpacked and not installed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_exec::{Artifact, BuildOptions};

use crate::cache;

/// The release that the packages have. There is no later one.
pub(super) const VERSIONS: &[&str] = &["1.8"];

const PACKAGES: [&str; 5] = ["cvc4", "libcvc4-7", "libcvc4parser7", "libcln6", "libantlr3c-3.4-0"];

/// The program in its folder. Its libraries are in `usr/lib`.
const PROGRAM: &str = "usr/bin/cvc4";

/// Finds the release if it was fetched before.
pub(super) fn find(version: &str, cache: &Path) -> io::Result<Option<Artifact>> {
    cache::find_program(place(version, cache), PROGRAM)
}

/// Fetches the release. It appears complete or not at all.
pub(super) fn install(version: &str, build: &BuildOptions<'_>) -> io::Result<()> {
    cache::install(&place(version, build.cache), |folder| {
        let packages = folder.join("packages");
        fs::create_dir(&packages)?;
        run(Command::new("apt-get").arg("-q").arg("download").args(PACKAGES), &packages)?;
        for entry in fs::read_dir(&packages)? {
            run(Command::new("dpkg-deb").arg("-x").arg(entry?.path()).arg(folder), &packages)?;
        }
        fs::remove_dir_all(&packages)
    })
}

fn place(version: &str, cache: &Path) -> PathBuf {
    cache.join(format!("cvc4-{version}-release"))
}

fn run(command: &mut Command, folder: &Path) -> io::Result<()> {
    let name = command.get_program().display().to_string();
    let output = command.current_dir(folder).output();
    let output =
        output.map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let what = format!("{name}: {said} (install cvc4 and use --library /usr/bin/cvc4)");
    Err(io::Error::other(what))
}
