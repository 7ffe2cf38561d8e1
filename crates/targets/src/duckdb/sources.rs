//! What to compile of a source package of DuckDB.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use metacov_runtime::run;

use crate::cmake::Commands;

/// What to compile of an unpacked package.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sources {
    /// The files, relative to the folder.
    pub(super) files: Vec<String>,
    /// Compiler options: the language, definitions and folders of headers.
    pub(super) options: Vec<String>,
}

/// Compiler options of versions that list their files. Without `NDEBUG`, faults end the process instead
/// of giving wrong answers.
pub(super) const OPTIONS: &[&str] = &["-std=c++11", "-DNDEBUG"];

/// Options of `cmake` for versions that it configures. Without jemalloc, the memory of the library is
/// that of the C library, which can be saved and restored; without extensions but the functions.
pub(super) const CONFIGURE: &[&str] = &[
    "-DCMAKE_BUILD_TYPE=Release",
    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
    "-DBUILD_SHELL=0",
    "-DBUILD_UNITTESTS=0",
    "-DENABLE_JEMALLOC=0",
    "-DENABLE_EXTENSION_LOAD=0",
    "-DSKIP_EXTENSIONS=parquet;json;icu",
    "-DSTATICALLY_LINK_EXTENSIONS=core_functions",
    "-DDUCKDB_EXPLICIT_PLATFORM=linux",
];

/// Where the source is that `cmake` configures, and where it does that.
const CMAKE_SOURCE: &str = "external/duckdb";
const CMAKE_BUILD: &str = "build";

/// Parts of the paths of files that the library does not need: extensions that can be loaded, and
/// another interface.
const OTHER_LIBRARIES: &[&str] = &["loadable_from_archive", "/tools/cpp/"];

/// Parts of paths that only extensions need. Without them DuckDB has no ICU, JSON and Parquet,
/// which the generated tests do not use.
const EXTENSIONS: &[&str] = &["parquet", "snappy", "snowball", "thrift", "zstd", "icu"];

impl Sources {
    /// The sources of an unpacked package: one file in old versions, lists of files in later ones, and
    /// what `cmake` configures in the newest.
    pub(super) fn of(version: &str, folder: &Path) -> io::Result<Self> {
        let mut options: Vec<String> = OPTIONS.iter().map(ToString::to_string).collect();
        if folder.join("duckdb.cpp").is_file() {
            return Ok(Sources { files: vec!["duckdb.cpp".to_owned()], options });
        }
        if folder.join(CMAKE_SOURCE).is_dir() {
            return Sources::configured(version, folder);
        }
        let list = |name: &str| {
            let path = folder.join(name);
            let text = fs::read_to_string(&path).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let lines = lines.filter(|line| is_core(line)).map(str::to_owned);
            Ok::<Vec<String>, io::Error>(lines.collect())
        };
        let files = list("sources.list")?;
        options.extend(list("includes.list")?.into_iter().map(|folder| format!("-I{folder}")));
        Ok(Sources { files, options })
    }

    /// The sources of a package that `cmake` configures.
    fn configured(version: &str, folder: &Path) -> io::Result<Self> {
        // Relative to this folder, which CMake names by its real path.
        let folder = &folder.canonicalize()?;
        let (source, build) = (folder.join(CMAKE_SOURCE), folder.join(CMAKE_BUILD));
        let list = build.join("compile_commands.json");
        if !list.is_file() {
            let mut cmake = Command::new("cmake");
            cmake.arg("-S").arg(source).arg("-B").arg(&build).args(CONFIGURE);
            for name in ["OVERRIDE_GIT_DESCRIBE", "DUCKDB_EXPLICIT_VERSION"] {
                cmake.arg(format!("-D{name}=v{version}"));
            }
            run(&mut cmake).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => {
                    let what = "cmake is not installed: apt-get install cmake";
                    io::Error::new(error.kind(), format!("{what} (--no-coverage needs none of it)"))
                }
                _ => error,
            })?;
        }
        let is_wanted = |file: &str| !OTHER_LIBRARIES.iter().any(|other| file.contains(other));
        let Commands { mut files, options } = Commands::read(&list, folder, is_wanted)?;
        let is_c = |file: &&mut String| Path::new(file).extension() == Some("c".as_ref());
        for file in files.iter_mut().filter(is_c) {
            *file = as_cpp(file, folder)?;
        }
        Ok(Sources { files, options })
    }
}

/// Writes a file of C++ that has the content of a file of C, so that one compiler compiles all files.
fn as_cpp(file: &str, folder: &Path) -> io::Result<String> {
    let (cpp, path) = (format!("{file}.cpp"), folder.join(file));
    let name = path.file_name().unwrap_or_default().display();
    fs::write(folder.join(&cpp), format!("extern \"C\" {{\n#include \"{name}\"\n}}\n"))?;
    Ok(cpp)
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
        let error = Sources::of("0.5.1", folder.path()).unwrap_err().to_string();
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
        let sources = Sources::of("0.5.1", folder.path()).unwrap();
        assert_eq!(
            sources.files,
            [
                "duckdb/ub_src_main.cpp",
                "duckdb/ub_src_main_extension.cpp",
                "duckdb/third_party/re2/re2/re2.cc"
            ]
        );
        assert_eq!(sources.options, ["-std=c++11", "-DNDEBUG", "-Iduckdb/src/include"]);
        fs::write(folder.path().join("duckdb.cpp"), "").unwrap();
        assert_eq!(Sources::of("0.5.1", folder.path()).unwrap().files, ["duckdb.cpp"]);
    }

    /// The package of the newest version that can be compiled, without compiling it.
    #[test]
    #[ignore = "fetches DuckDB: cargo test -p metacov-targets duckdb -- --ignored"]
    fn the_newest_package_is_configured() {
        let folder = tempfile::tempdir().unwrap();
        let version = super::super::counting::VERSIONS.last().unwrap();
        crate::sdist::fetch("duckdb", version, folder.path()).unwrap();
        let Sources { files, options } = Sources::of(version, folder.path()).unwrap();
        assert!(files.len() > 200, "{files:?}");
        let is_there = |file: &&String| folder.path().join(file).is_file();
        let missing: Vec<&String> = files.iter().filter(|file| !is_there(file)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let is_extension = |name: &str| files.iter().any(|file| file.contains(name));
        assert!(is_extension("core_functions") && !is_extension("extension/json"));
        let has = |option: &str| options.iter().any(|known| known == option);
        assert!(has("-DNDEBUG") && has("-std=c++17"), "{options:?}");
        assert!(has(&format!(r#"-DDUCKDB_VERSION="""v{version}""""#)), "{options:?}");
        // What the list says is enough to compile.
        let file = files.iter().find(|file| file.ends_with("/ub_duckdb_func_table_version.cpp"));
        let mut compiler = Command::new("g++");
        compiler.args(&options).args(["-w", "-fsyntax-only"]).arg(file.unwrap());
        run(compiler.current_dir(folder.path())).unwrap();
    }
}
