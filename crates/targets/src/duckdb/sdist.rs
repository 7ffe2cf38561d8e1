//! Releases of DuckDB as source packages (sdists), fetched by the user's pip.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_runtime::run;

/// A build backend that compiles nothing. pip asks the backend of a source package for its
/// metadata before it stores the package, and DuckDB's would need other packages for that. It is
/// imported in place of the real one, so that no code of the package runs.
const BACKEND: &str = r#"
import os, sys


def prepare_metadata_for_build_wheel(folder, config_settings=None):
    info = "duckdb.dist-info"
    os.makedirs(os.path.join(folder, info))
    with open(os.path.join(folder, info, "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\nName: duckdb\nVersion: VERSION\n")
    return info


# What pip calls if a package names no backend.
__legacy__ = sys.modules[__name__]
"#;

/// Fetches the source package of a version and unpacks it into a folder.
pub(super) fn fetch(version: &str, folder: &Path) -> io::Result<()> {
    let work = tempfile::tempdir_in(folder)?;
    let backend = work.path().join("backend/setuptools");
    fs::create_dir_all(&backend)?;
    fs::write(backend.join("__init__.py"), "")?;
    fs::write(backend.join("build_meta.py"), BACKEND.replace("VERSION", version))?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--no-binary=:all:", "--no-build-isolation", "--use-pep517", "--dest"]);
    pip.arg(work.path()).arg(format!("duckdb=={version}"));
    run(pip.env("PYTHONPATH", work.path().join("backend"))).map_err(|error| {
        let what = format!("pip cannot fetch the source package duckdb {version}: {error}");
        io::Error::new(error.kind(), what)
    })?;
    let package = package(work.path())?;
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(package).args(["--strip-components=1", "--no-same-owner", "-C"]);
    run(tar.arg(folder))
}

/// The package in a folder.
fn package(folder: &Path) -> io::Result<PathBuf> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension() == Some(OsStr::new("gz")) {
            return Ok(path);
        }
    }
    Err(io::Error::other("pip has fetched no source package"))
}

/// What to compile of an unpacked package.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sources {
    /// The files, relative to the folder.
    pub(super) files: Vec<String>,
    /// The folders of headers.
    pub(super) includes: Vec<String>,
}

/// Parts of paths that only extensions need. Without them DuckDB has no ICU, JSON and Parquet,
/// which the generated tests do not use.
const EXTENSIONS: &[&str] = &["parquet", "snappy", "snowball", "thrift", "zstd", "icu"];

impl Sources {
    /// The sources of an unpacked package: one file in old versions, lists of files in later ones.
    pub(super) fn of(folder: &Path) -> io::Result<Self> {
        if folder.join("duckdb.cpp").is_file() {
            return Ok(Sources { files: vec!["duckdb.cpp".to_owned()], includes: Vec::new() });
        }
        let list = |name: &str| {
            let path = folder.join(name);
            let text = fs::read_to_string(&path).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            Ok::<_, io::Error>(lines.filter(|line| is_core(line)).map(str::to_owned).collect())
        };
        Ok(Sources { files: list("sources.list")?, includes: list("includes.list")? })
    }
}

/// Whether a path belongs to DuckDB without extensions.
fn is_core(path: &str) -> bool {
    // The part that loads extensions is there in any case.
    if path.ends_with("ub_src_main_extension.cpp") {
        return true;
    }
    let mut parts = path.split('/');
    !path.contains("extension") && !parts.any(|part| EXTENSIONS.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_one_file_or_a_list() {
        let folder = tempfile::tempdir().unwrap();
        let error = Sources::of(folder.path()).unwrap_err().to_string();
        assert!(error.contains("sources.list"), "{error}");
        let files = "duckdb/ub_src_main.cpp\nduckdb/ub_src_main_extension.cpp\n\
                     duckdb/third_party/re2/re2/re2.cc\nduckdb/third_party/zstd/fse.cpp\n\
                     duckdb/ub_extension_icu_common.cpp\nduckdb/extension/json/json.cpp\n";
        fs::write(folder.path().join("sources.list"), files).unwrap();
        fs::write(
            folder.path().join("includes.list"),
            "duckdb/src/include\nduckdb/extension/x\n\n",
        )
        .unwrap();
        let sources = Sources::of(folder.path()).unwrap();
        assert_eq!(
            sources.files,
            [
                "duckdb/ub_src_main.cpp",
                "duckdb/ub_src_main_extension.cpp",
                "duckdb/third_party/re2/re2/re2.cc"
            ]
        );
        assert_eq!(sources.includes, ["duckdb/src/include"]);
        fs::write(folder.path().join("duckdb.cpp"), "").unwrap();
        assert_eq!(Sources::of(folder.path()).unwrap().files, ["duckdb.cpp"]);
    }
}
