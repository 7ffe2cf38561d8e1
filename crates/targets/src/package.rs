//! Packages of Rust, fetched by the user's cargo, for the source that they bundle.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// Fetches a version of a package, and returns the folder of its files. Writes to `folder`.
pub(crate) fn fetch(package: &str, version: &str, folder: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("src/lib.rs"), "")?;
    // A separate workspace, because the cache may be inside another one.
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
         [dependencies]\n{package} = \"={version}\"\n[workspace]\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let output = cargo.args(["metadata", "--format-version", "1"]).current_dir(folder).output();
    let output = output.map_err(|error| io::Error::new(error.kind(), format!("cargo: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(io::Error::other(format!("cargo cannot fetch {package} {version}: {said}")));
    }
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
    let found = metadata.packages.into_iter().find(|found| found.name == package);
    let found = found.and_then(|package| Some(package.manifest_path.parent()?.to_owned()));
    found.ok_or_else(|| io::Error::other(format!("cargo metadata does not list {package}")))
}

/// The part of cargo's metadata that is needed.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
}
