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
    let mut failure = None;
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
        let output = String::from_utf8_lossy(&output.stderr);
        failure = Some(pip_failure(&format!("package {package} {version}"), &output));
        // The package of another Python would fail in the same way.
        if !output.contains(NO_MATCH) {
            break;
        }
    }
    Err(failure.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
}

/// What pip says if a package has no such version, or none for a version of Python.
const NO_MATCH: &str = "No matching distribution found";

/// Why pip cannot fetch a package, without the stack and the list of all versions that it prints.
pub(crate) fn pip_failure(package: &str, output: &str) -> io::Error {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let full = lines().rfind(|line| line.contains("No space left on device"));
    let error = lines().rfind(|line| line.starts_with("ERROR"));
    let why = full.or(error).or(lines().next_back()).unwrap_or("no output");
    let kind = if full.is_some() { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
    io::Error::new(kind, format!("pip cannot fetch the {package}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_pip_are_one_line() {
        let failure = |output: &str| {
            let error = pip_failure("package duckdb 2.0.0", output);
            (error.kind(), error.to_string())
        };
        let missing = "ERROR: Could not find a version (from versions: 1.0, 1.1)\n\
                       ERROR: No matching distribution found for duckdb==2.0.0\n";
        let what = "pip cannot fetch the package duckdb 2.0.0: ERROR: No matching distribution \
                    found for duckdb==2.0.0";
        assert_eq!(failure(missing), (io::ErrorKind::Other, what.to_owned()));
        let full = "ERROR: Exception:\nTraceback (most recent call last):\n  File \"shutil.py\"\n\
                    OSError: [Errno 28] No space left on device: 'a' -> 'b'\n";
        let (kind, what) = failure(full);
        assert_eq!(kind, io::ErrorKind::StorageFull);
        assert!(
            what.ends_with("OSError: [Errno 28] No space left on device: 'a' -> 'b'"),
            "{what}"
        );
        assert!(failure("").1.ends_with("no output"));
    }
}
