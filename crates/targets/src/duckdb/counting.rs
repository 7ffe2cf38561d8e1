//! DuckDB as a library with counters, compiled from the source package of a release.
//!
//! Compiling takes minutes, so it can be interrupted: the folder keeps its name until everything is
//! there, and a finished object is not compiled again.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use metacov_exec::{Artifact, BuildOptions};
use metacov_runtime::{Compiler, Runtime, publish_folder, run};
use rustix::fs::{FlockOperation, flock};

use super::sdist::{self, Sources};
use crate::cache;
use crate::cc::Language;

/// Versions whose source packages compile with today's g++.
pub(super) const VERSIONS: &[&str] = &["0.1.6", "0.1.7", "0.5.1"];

/// The library in its folder.
const LIBRARY: &str = "libduckdb.so";

/// The folder of objects that are being compiled.
const COMPILING: &str = "compiling";

/// The file that says that the package is unpacked.
const UNPACKED: &str = "unpacked";

/// Compiler options. Without `NDEBUG`, faults end the process instead of giving wrong answers.
/// Optimised code takes five times as long to compile.
const OPTIONS: &[&str] = &["-std=c++11", "-O0", "-DNDEBUG", "-fPIC", "-w"];

/// Linker options. The C++ library is part of DuckDB, so that its memory is saved and restored too.
const LINK: &[&str] = &["-shared", "-static-libstdc++", "-static-libgcc", "-Wl,--no-undefined"];

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
    let folder = place(version, cache);
    if !folder.is_dir() {
        return Ok(None);
    }
    let compiled_in = cache::compiled_in(&folder)?;
    let (counting, plain) = (Some(folder.join(LIBRARY)), plain.to_owned());
    Ok(Some(Artifact { folder, compiled_in, counting, plain }))
}

/// Fetches and compiles a version, or goes on where an earlier call was interrupted.
pub(super) fn build(
    version: &str,
    options: &BuildOptions<'_>,
    plain: &Path,
) -> io::Result<Artifact> {
    let place = place(version, options.cache);
    let unfinished = unfinished(version, options.cache);
    if !place.is_dir() {
        fs::create_dir_all(&unfinished)?;
        // Another process that builds the same version is waited for.
        let lock = File::create(unfinished.join("lock"))?;
        flock(&lock, FlockOperation::LockExclusive)?;
        if !place.is_dir() {
            fill(version, options, &unfinished)?;
            publish_folder(&unfinished, &place)?;
        }
    }
    find(version, options.cache, plain)?.ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// The folder of a version. Its name depends on how the version is built.
fn place(version: &str, cache: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    let runtime = [metacov_runtime::SOURCE, metacov_runtime::LINKER_SCRIPT];
    (OPTIONS, LINK, runtime).hash(&mut hasher);
    cache.join(format!("duckdb-{version}-{:016x}", hasher.finish()))
}

/// The folder of a version while it is built.
fn unfinished(version: &str, cache: &Path) -> PathBuf {
    place(&format!("{version}-unfinished"), cache)
}

fn fill(version: &str, options: &BuildOptions<'_>, folder: &Path) -> io::Result<()> {
    if !folder.join(UNPACKED).is_file() {
        sdist::fetch(version, folder)?;
        fs::write(folder.join(UNPACKED), "")?;
    }
    fs::create_dir_all(folder.join(COMPILING))?;
    let sources = Sources::of(folder)?;
    let runtime = Runtime::install(options.compiler, folder)?;
    let compiler = Language::Cpp.compiler();
    let build = Build { compiler: &compiler, runtime: &runtime, folder, sources: &sources };
    build.compile(options.progress)?;
    build.link()?;
    for file in &sources.files {
        fs::remove_file(folder.join(object(file)))?;
    }
    fs::remove_dir_all(folder.join(COMPILING))?;
    cache::write_compiled_in(folder)
}

/// A library that is being compiled.
struct Build<'b> {
    compiler: &'b Compiler,
    runtime: &'b Runtime,
    folder: &'b Path,
    sources: &'b Sources,
}

impl Build<'_> {
    /// Compiles all files, on all processors.
    fn compile(&self, progress: &(dyn Fn(usize, usize) + Sync)) -> io::Result<()> {
        let all = self.sources.files.len();
        let is_missing = |file: &&String| !self.folder.join(object(file)).is_file();
        let missing: Vec<&String> = self.sources.files.iter().filter(is_missing).collect();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(all - missing.len()));
        let failed = Mutex::new(None);
        progress(done.load(Ordering::Relaxed), all);
        let work = || {
            while let Some(file) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = self.compile_file(file) {
                    // No other file is begun.
                    next.store(missing.len(), Ordering::Relaxed);
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    failed.get_or_insert(error);
                    return;
                }
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
            }
        };
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            for _ in 0..threads.min(missing.len()) {
                scope.spawn(work);
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Compiles a file. Its notes and its object appear complete, the object last.
    fn compile_file(&self, file: &str) -> io::Result<()> {
        let object = object(file);
        let compiled = format!("{COMPILING}/{object}");
        let mut command = self.compiler.command();
        command.args(self.runtime.compile_flags()).args(OPTIONS);
        command.args(self.sources.includes.iter().map(|folder| format!("-I{folder}")));
        command.args(["-c", file, "-o", &compiled]).current_dir(self.folder);
        run(&mut command)
            .map_err(|error| io::Error::new(error.kind(), format!("{file}: {error}")))?;
        let notes = Path::new(&object).with_extension("gcno");
        for name in [notes.as_path(), Path::new(&object)] {
            fs::rename(self.folder.join(COMPILING).join(name), self.folder.join(name))?;
        }
        Ok(())
    }

    fn link(&self) -> io::Result<()> {
        let mut command = self.compiler.command();
        command.args(self.runtime.compile_flags()).arg(self.runtime.link_flag()).args(LINK);
        command.args(self.sources.files.iter().map(|file| object(file)));
        run(command.args(["-o", LIBRARY, "-lpthread", "-ldl"]).current_dir(self.folder))
    }
}

/// The name of the object of a source file. All objects are in one folder, as are their notes.
fn object(file: &str) -> String {
    format!("{}.o", file.replace('/', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_build_goes_on_where_it_was() {
        let cache = tempfile::tempdir().unwrap();
        let folder = unfinished("0.5.1", cache.path());
        fs::create_dir_all(folder.join("src")).unwrap();
        for (name, text) in [
            (UNPACKED, ""),
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
        let options =
            BuildOptions { compiler: &compiler, cache: cache.path(), progress: &progress };
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
    }
}
