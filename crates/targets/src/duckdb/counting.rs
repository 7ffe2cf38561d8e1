//! DuckDB as a library with counters, compiled from the source package of a release.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use metacov_exec::{Artifact, BuildOptions};
use metacov_mutants::SourceLanguage;
use metacov_runtime::COUNTING_LEVEL_LARGE;

use super::sources::{CONFIGURE, OPTIONS, Sources};
use crate::cache;
use crate::cc::Language;
use crate::mutated::{MutatedLibrary, MutatedSource};
use crate::project::{self, Level, Project};
use crate::sdist;

/// Versions whose source packages compile with today's g++.
pub(super) const VERSIONS: &[&str] = &["0.1.6", "0.1.7", "0.5.1", "2.0.0"];

/// Those of them that `cmake` configures.
const CONFIGURED: &[&str] = &["2.0.0"];

/// The library in its folder.
const LIBRARY: &str = "libduckdb.so";

/// Linker options. The C++ library is part of DuckDB, so that its memory is saved and restored too.
const LINK: &[&str] =
    &["-static-libstdc++", "-static-libgcc", "-Wl,--no-undefined", "-lpthread", "-ldl"];

/// Says whether a version can be compiled.
pub(super) fn check(version: &str) -> io::Result<()> {
    if VERSIONS.contains(&version) {
        return Ok(());
    }
    let what = format!(
        "it cannot be built with counters ({} can): --no-coverage fetches the released library",
        VERSIONS.join(", ")
    );
    Err(io::Error::new(io::ErrorKind::Unsupported, what))
}

/// Finds a library that was compiled before. `plain` is the library without counters.
pub(super) fn find(version: &str, cache: &Path, plain: &Path) -> io::Result<Option<Artifact>> {
    project::find(place(version, cache), LIBRARY, plain)
}

/// Fetches and compiles a version, or goes on where an earlier call was interrupted.
pub(super) fn build(
    version: &str,
    options: &BuildOptions<'_>,
    plain: &Path,
) -> io::Result<Artifact> {
    cache::install_resumable(&place(version, options.cache), |folder| {
        sdist::fetch("duckdb", version, folder)?;
        compile(version, options, folder)?;
        cache::write_compiled_in(folder)
    })?;
    find(version, options.cache, plain)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Compiles a version with mutants.
pub(super) fn build_mutants(version: &str, options: &BuildOptions<'_>) -> io::Result<PathBuf> {
    let (language, links) = (SourceLanguage::Cpp, LINK);
    MutatedLibrary { name: "duckdb", version, language, links }.build(options, OPTIONS, |folder| {
        sdist::fetch("duckdb", version, folder)?;
        let Sources { files, options } = Sources::of(version, folder)?;
        Ok(MutatedSource { files, options })
    })
}

fn compile(version: &str, build: &BuildOptions<'_>, folder: &Path) -> io::Result<()> {
    let Sources { files, options } = Sources::of(version, folder)?;
    // A single file of 170,000 lines takes seven minutes to optimise, and one and a half otherwise. The
    // newest version takes an hour even without.
    let is_large = files.len() == 1 || CONFIGURED.contains(&version);
    let level = if is_large { Level::None } else { Level::AfterCounters };
    let compiler = &Language::Cpp.compiler();
    let (links, library, plain_library) = (LINK, LIBRARY, None);
    Project { compiler, files, options, level, links, library, plain_library }
        .compile(build, folder)
}

/// The folder of a version. Its name depends on how the version is built.
fn place(version: &str, cache: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    let runtime = [metacov_runtime::SOURCE, metacov_runtime::LINKER_SCRIPT];
    (OPTIONS, LINK, COUNTING_LEVEL_LARGE, runtime).hash(&mut hasher);
    if CONFIGURED.contains(&version) {
        CONFIGURE.hash(&mut hasher);
    }
    cache.join(format!("duckdb-{version}-{:016x}", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Mutex;

    use metacov_runtime::Compiler;

    use super::*;

    #[test]
    fn an_interrupted_build_goes_on_where_it_was() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache::unfinished(&place("0.5.1", cache.path()));
        fs::create_dir_all(folder.join("src")).unwrap();
        for (name, text) in [
            (sdist::UNPACKED, ""),
            ("sources.list", "src/a.cpp\nsrc/b.cpp\n"),
            ("includes.list", "src\n"),
            ("src/a.cpp", "int a() { return 1; }\n"),
            ("src/b.cpp", "int b() { return c(); }\n"),
        ] {
            fs::write(folder.join(name), text).unwrap();
        }
        let steps = Mutex::new(Vec::new());
        let progress = |done, all| steps.lock().unwrap().push((done, all));
        let compiler = Compiler::of("gcc".as_ref());
        let options = BuildOptions {
            compiler: &compiler,
            cache: cache.path(),
            progress: &progress,
            warn: &|what| panic!("{what}"),
        };
        let plain = Path::new("plain.so");
        let build = || build("0.5.1", &options, plain);
        let error = build().unwrap_err().to_string();
        assert!(error.contains("src/b.cpp"), "{error}");
        assert!(find("0.5.1", cache.path(), plain).unwrap().is_none());

        steps.lock().unwrap().clear();
        // Compiling it again would fail.
        fs::write(folder.join("src/a.cpp"), "wrong").unwrap();
        fs::write(folder.join("src/b.cpp"), "int b() { return 2; }\n").unwrap();
        let artifact = build().unwrap();
        assert_eq!(*steps.lock().unwrap(), [(1, 2), (2, 2)]);
        assert!(artifact.counting.is_some_and(|library| library.is_file()));
        assert!(artifact.folder.join("src-a.cpp.gcno").is_file());
        assert_eq!(Path::new(&artifact.compiled_in), folder);
        assert!(!folder.exists());

        fs::remove_file(artifact.folder.join(LIBRARY)).unwrap();
        let error = find("0.5.1", cache.path(), plain).unwrap_err().to_string();
        assert!(error.contains("no libduckdb.so (remove the folder)"), "{error}");
    }
}
