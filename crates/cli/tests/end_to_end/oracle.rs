//! Independent programs that metacov's results are compared with.

use std::path::PathBuf;
use std::process::Command;

use crate::run::repository;

/// The supported versions of gcovr, each with the version of its JSON.
pub const GCOVR: [(&str, &str); 4] =
    [("8.2", "0.10"), ("8.3", "0.11"), ("8.6", "0.14"), ("8.7", "0.15")];

/// gcovr of a version.
pub fn gcovr(version: &str) -> Command {
    Command::new(installed(&format!("gcovr-{version}/bin/gcovr")))
}

/// Python with coverage.py and a JSON schema validator.
pub fn python() -> Command {
    Command::new(installed("python/bin/python"))
}

/// Python with a browser driver.
pub fn browser() -> Command {
    Command::new(installed("browser/bin/python"))
}

fn installed(path: &str) -> PathBuf {
    let path = repository().join("target/oracles").join(path);
    assert!(path.exists(), "{} is missing: run scripts/oracles first", path.display());
    path
}
