//! Packages of Python, fetched by the user's pip.

use std::io;
use std::path::Path;
use std::process::Command;

/// Versions of Python that releases were packaged for, and their binary interfaces. Which of them
/// does not matter: packages are used without Python.
const PYTHONS: &[(&str, &str)] = &[("311", "cp311"), ("310", "cp310"), ("37", "cp37m")];

/// Kinds of Linux that releases were packaged for.
const PLATFORMS: &[&str] = &[
    "manylinux_2_28",
    "manylinux_2_27",
    "manylinux_2_17",
    "manylinux2014",
    "manylinux2010",
    "manylinux1",
];

/// Unpacks a version of a package into a folder.
pub(crate) fn fetch(package: &str, version: &str, folder: &Path) -> io::Result<()> {
    let mut said = String::new();
    for (python, interface) in PYTHONS {
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip.args(["--no-deps", "--no-compile", "--only-binary=:all:", "--target"]).arg(folder);
        pip.args(["--implementation", "cp", "--python-version", python, "--abi", interface]);
        for platform in PLATFORMS {
            pip.arg("--platform").arg(format!("{platform}_{}", std::env::consts::ARCH));
        }
        let output = pip.arg(format!("{package}=={version}")).output();
        let output =
            output.map_err(|error| io::Error::new(error.kind(), format!("python3: {error}")))?;
        if output.status.success() {
            return Ok(());
        }
        String::from_utf8_lossy(&output.stderr).trim().clone_into(&mut said);
    }
    Err(io::Error::other(format!("pip cannot fetch the package {package} {version}: {said}")))
}
