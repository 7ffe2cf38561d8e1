//! CVC4: the packages of Debian and Ubuntu, unpacked and not installed, and the library that is
//! compiled from their source package.

mod counting;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_exec::{Artifact, BuildOptions};
use metacov_runtime::run;

use crate::cache;

/// The release that the packages have. There is no later one.
pub(super) const VERSIONS: &[&str] = &["1.8"];

const PACKAGES: [&str; 5] = ["cvc4", "libcvc4-7", "libcvc4parser7", "libcln6", "libantlr3c-3.4-0"];

/// The program in its folder. Its libraries are in `usr/lib`.
const PROGRAM: &str = "usr/bin/cvc4";

/// Finds the release if it was fetched before, with the library with counters if that was built.
pub(super) fn find(version: &str, cache: &Path) -> io::Result<Option<Artifact>> {
    let Some(released) = cache::find_program(place(version, cache), PROGRAM)? else {
        return Ok(None);
    };
    let counting = counting::find(version, cache, &released.plain)?;
    Ok(Some(counting.unwrap_or(released)))
}

/// Compiles the release with counters.
pub(super) fn compile(version: &str, build: &BuildOptions<'_>) -> io::Result<()> {
    counting::build(version, build)?;
    install(version, build)
}

/// Fetches the release. It appears complete or not at all.
pub(super) fn install(version: &str, build: &BuildOptions<'_>) -> io::Result<()> {
    cache::install(&place(version, build.cache), |folder| {
        let packages = folder.join("packages");
        fs::create_dir(&packages)?;
        run_here(Command::new("apt-get").arg("-q").arg("download").args(PACKAGES), &packages)?;
        for entry in fs::read_dir(&packages)? {
            run_here(Command::new("dpkg-deb").arg("-x").arg(entry?.path()).arg(folder), &packages)?;
        }
        fs::remove_dir_all(&packages)
    })
}

fn place(version: &str, cache: &Path) -> PathBuf {
    cache.join(format!("cvc4-{version}-release"))
}

/// Runs a tool of Debian. The error says what to do without it.
fn run_here(command: &mut Command, folder: &Path) -> io::Result<()> {
    run(command.current_dir(folder)).map_err(|error| {
        let what = format!("{error} (install cvc4 and use --library /usr/bin/cvc4)");
        io::Error::new(error.kind(), what)
    })
}
