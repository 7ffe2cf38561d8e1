//! What to compile of a source package of DuckDB.

use std::fs;
use std::io;
use std::path::Path;

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
