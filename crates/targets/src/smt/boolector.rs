//! Boolector, which decides bit-vectors, arrays and functions: small enough to be compiled in a
//! minute. Its source, and that of the two libraries that it needs, is in packages of Rust.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use metacov_exec::{Artifact, BuildOptions};
use metacov_mutants::SourceLanguage;

use crate::cache;
use crate::mutated::{MutatedLibrary, MutatedSource};
use crate::package;
use crate::project::{self, Level, Project};

/// The version that the package bundles.
pub(super) const VERSIONS: &[&str] = &["3.2.2"];

const LIBRARY: &str = "libboolector.so";
const PLAIN_LIBRARY: &str = "libboolector-plain.so";

/// Bundled source: the package, its version, and the folder in it and here.
const SOURCES: [(&str, &str, &str, &str); 3] = [
    ("boolector-sys", "0.7.2", "boolector/src", "boolector"),
    ("minisat", "0.4.4", "lib/minisat/minisat", "minisat"),
    ("btor2tools-sys", "1.1.0", "btor2tools/src", "btor2tools"),
];

const OPTIONS: &[&str] = &[
    "-Iboolector",
    "-I.",
    "-Ibtor2tools",
    "-Ibtor2tools/btor2parser",
    "-DNDEBUG",
    "-DNBTORLOG",
    "-DBTOR_USE_MINISAT",
    "-D__STDC_LIMIT_MACROS",
    "-D__STDC_FORMAT_MACROS",
];

const LINK: &[&str] = &["-lstdc++", "-lm"];

/// Sources that are compiled in addition to Boolector's C files.
const OTHER_FILES: [&str; 6] = [
    "boolector/sat/btorminisat.cc",
    "btor2tools/btor2parser/btor2parser.c",
    "minisat/core/Solver.cc",
    "minisat/simp/SimpSolver.cc",
    "minisat/utils/Options.cc",
    "minisat/utils/System.cc",
];

/// Files of other programs, and of other SAT solvers.
const LEFT_OUT: [&str; 11] = [
    "boolectormain.c",
    "boolectormc.c",
    "btorcadical.c",
    "btorlgl.c",
    "btormbt.c",
    "btormc.c",
    "btormcmain.c",
    "btorpicosat.c",
    "btoruntrace.c",
    "leapyear.c",
    "boolector_py.c",
];

/// What its build system generates; neither the machine nor the time is part of it.
const CONFIG: &str = r#"#define BTOR_CC ""
#define BTOR_CXX ""
#define BTOR_CFLAGS ""
#define BTOR_CXXFLAGS ""
#define BTOR_OS ""
#define BTOR_COMPILED ""
#define BTOR_RELEASED ""
#define BTOR_VERSION "3.2.2"
#define BTOR_GIT_ID ""
"#;

/// Finds a build.
pub(super) fn find(version: &str, cache: &Path) -> io::Result<Option<Artifact>> {
    let folder = place(version, cache);
    if !folder.is_dir() {
        return Ok(None);
    }
    let plain = cache::file(&folder, PLAIN_LIBRARY)?;
    project::find(folder, LIBRARY, &plain)
}

/// Fetches and compiles it, or goes on where an earlier call was interrupted.
pub(super) fn compile(version: &str, build: &BuildOptions<'_>) -> io::Result<()> {
    cache::install_resumable(&place(version, build.cache), |folder| {
        let files = fetch(folder)?;
        let (compiler, level) = (build.compiler, Level::AfterCounters);
        let (links, library, plain_library) = (LINK, LIBRARY, Some(PLAIN_LIBRARY));
        Project { compiler, files, options: options(), level, links, library, plain_library }
            .compile(build, folder)?;
        cache::write_compiled_in(folder)
    })
}

/// Compiles it with mutants.
pub(super) fn build_mutants(version: &str, build: &BuildOptions<'_>) -> io::Result<PathBuf> {
    let (language, links) = (SourceLanguage::Cpp, LINK);
    MutatedLibrary { name: "boolector", version, language, links }.build(
        build,
        (SOURCES, OPTIONS, CONFIG, OTHER_FILES, LEFT_OUT),
        |folder| Ok(MutatedSource { files: fetch(folder)?, options: options() }),
    )
}

/// Puts the source into a folder, and returns the files to compile.
fn fetch(folder: &Path) -> io::Result<Vec<String>> {
    for (package, version, from, to) in SOURCES {
        let fetched = package::fetch(package, version, &folder.join("fetch"))?;
        copy_source(&fetched.join(from), &folder.join(to))?;
    }
    fs::remove_dir_all(folder.join("fetch"))?;
    fs::write(folder.join("boolector/btorconfig.h"), CONFIG)?;
    let mut files: Vec<String> = OTHER_FILES.iter().map(ToString::to_string).collect();
    for below in ["", "dumper/", "parser/", "preprocess/", "sat/", "utils/"] {
        c_files(folder, &format!("boolector/{below}"), &mut files)?;
    }
    files.sort();
    Ok(files)
}

fn options() -> Vec<String> {
    OPTIONS.iter().map(ToString::to_string).collect()
}

/// The folder of a version. Its name depends on how the version is built.
fn place(version: &str, cache: &Path) -> PathBuf {
    project::place("boolector", version, (OPTIONS, CONFIG), cache)
}

/// Copies the C and C++ files of a folder and of all folders in it.
fn copy_source(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        let extension = path.extension().and_then(|extension| extension.to_str());
        if entry.file_type()?.is_dir() {
            copy_source(&path, &to)?;
        } else if matches!(extension, Some("c" | "cc" | "h")) {
            fs::copy(path, to)?;
        }
    }
    Ok(())
}

/// Adds the C files of a folder that belong to the solver.
fn c_files(folder: &Path, below: &str, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder.join(below))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if Path::new(&name).extension().is_some_and(|extension| extension == "c")
            && !LEFT_OUT.contains(&&*name)
        {
            files.push(format!("{below}{name}"));
        }
    }
    Ok(())
}
