//! Source packages of Python (sdists), fetched by the user's pip.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_runtime::run;

use crate::wheel::pip_failure;

/// A build backend that compiles nothing. pip asks the backend of a source package for its
/// metadata before it stores the package, and the real one may need other packages for that. It is
/// imported in place of the real one, so that no code of the package runs.
const BACKEND: &str = r#"
import os, sys


def prepare_metadata_for_build_wheel(folder, config_settings=None):
    info = "PACKAGE".replace("-", "_") + ".dist-info"
    os.makedirs(os.path.join(folder, info))
    with open(os.path.join(folder, info, "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\nName: PACKAGE\nVersion: VERSION\n")
    return info


# What pip calls if a package names no backend.
__legacy__ = sys.modules[__name__]
"#;

/// The file that says that a package is unpacked.
pub(crate) const UNPACKED: &str = "unpacked";

/// Fetches the source package of a version and unpacks it into a folder, unless an interrupted build
/// has left it there.
pub(crate) fn fetch(package: &str, version: &str, folder: &Path) -> io::Result<()> {
    if folder.join(UNPACKED).is_file() {
        return Ok(());
    }
    let work = tempfile::tempdir_in(folder)?;
    let backend = work.path().join("backend/setuptools");
    fs::create_dir_all(&backend)?;
    fs::write(backend.join("__init__.py"), "")?;
    let text = BACKEND.replace("PACKAGE", package).replace("VERSION", version);
    fs::write(backend.join("build_meta.py"), text)?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--no-binary=:all:", "--no-build-isolation", "--use-pep517", "--dest"]);
    pip.arg(work.path()).arg(format!("{package}=={version}"));
    run(pip.env("PYTHONPATH", work.path().join("backend"))).map_err(|error| {
        pip_failure(&format!("source package {package} {version}"), &error.to_string())
    })?;
    let package = archive(work.path())?;
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(package).args(["--strip-components=1", "--no-same-owner", "-C"]);
    run(tar.arg(folder))?;
    fs::write(folder.join(UNPACKED), "")
}

/// The package in a folder.
fn archive(folder: &Path) -> io::Result<PathBuf> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("gz")) {
            return Ok(path);
        }
    }
    Err(io::Error::other("pip has fetched no source package"))
}
