//! Source packages of Python (sdists), fetched by the user's pip.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_runtime::run;

use crate::wheel::pip_failure;

/// A build backend that compiles nothing. pip asks the backend of a source package for its
/// metadata before it stores the package, and the real one may need other packages for that. Python
/// runs this file when it starts, so that it is there before the real one, which may be part of the
/// package, would be imported: no code of the package runs.
const BACKEND: &str = r#"
import os, sys, types


def prepare_metadata_for_build_wheel(folder, config_settings=None):
    info = "PACKAGE".replace("-", "_") + ".dist-info"
    os.makedirs(os.path.join(folder, info))
    with open(os.path.join(folder, info, "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\nName: PACKAGE\nVersion: VERSION\n")
    return info


# How old and new versions of pip name the backend, and the folder in the package that has it.
for name in "PEP517", "_PYPROJECT_HOOKS":
    backend = os.environ.get(name + "_BUILD_BACKEND", "").partition(":")[0]
    if backend:
        module = types.ModuleType(backend)
        module.prepare_metadata_for_build_wheel = prepare_metadata_for_build_wheel
        # What pip calls if a package names no backend.
        module.__legacy__ = module
        folders = os.environ.get(name + "_BACKEND_PATH", "").split(os.pathsep)
        module.__file__ = os.path.join(folders[0], "backend.py")
        sys.modules[backend] = module
"#;

/// The file that says that a package is unpacked.
pub(crate) const UNPACKED: &str = "unpacked";

/// Fetches the source package of a version and unpacks it into a folder, unless an interrupted build
/// has left it there.
pub(crate) fn fetch(package: &str, version: &str, folder: &Path) -> io::Result<()> {
    fetch_with(&[], package, version, folder)
}

/// Does this with more options of pip.
fn fetch_with(options: &[OsString], package: &str, version: &str, folder: &Path) -> io::Result<()> {
    if folder.join(UNPACKED).is_file() {
        return Ok(());
    }
    let work = tempfile::tempdir_in(folder)?;
    let backend = work.path().join("backend");
    fs::create_dir(&backend)?;
    let text = BACKEND.replace("PACKAGE", package).replace("VERSION", version);
    fs::write(backend.join("sitecustomize.py"), text)?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--no-binary=:all:", "--no-build-isolation", "--use-pep517", "--dest"]);
    pip.arg(work.path()).args(options).arg(format!("{package}=={version}"));
    run(pip.env("PYTHONPATH", backend)).map_err(|error| {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A package that has its own backend, as DuckDB has since 1.4, and one that names none.
    #[test]
    fn no_code_of_a_package_runs() {
        let index = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = index.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let marker = index.path().join("ran");
        let code = format!("import pathlib\npathlib.Path('{}').touch()\n", marker.display());
        write(
            "new-1.0/pyproject.toml",
            "[build-system]\nrequires = []\nbuild-backend = 'own.backend'\nbackend-path = ['.']\n",
        );
        write("new-1.0/own/__init__.py", &code);
        write("new-1.0/own/backend.py", &code);
        write("new-1.0/source.c", "int a;\n");
        write("old-1.0/setup.py", &code);
        write("old-1.0/source.c", "int a;\n");
        for package in ["new", "old"] {
            let name = format!("{package}-1.0");
            let mut tar = Command::new("tar");
            run(tar.arg("-czf").arg(format!("{name}.tar.gz")).arg(&name).current_dir(index.path()))
                .unwrap();
            let folder = tempfile::tempdir().unwrap();
            let mut options = Vec::new();
            options.extend(["--no-index".into(), "--find-links".into(), index.path().into()]);
            fetch_with(&options, package, "1.0", folder.path()).unwrap();
            assert!(folder.path().join("source.c").is_file(), "{package}");
            assert!(!marker.exists(), "{package}");
        }
    }
}
