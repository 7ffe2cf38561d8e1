//! Compiles libraries from many source files.
//!
//! That takes minutes, so it can be interrupted: a finished object is not compiled again.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use metacov_exec::{Artifact, BuildOptions};
use metacov_runtime::{COUNTING_LEVEL_LARGE, Compiler, Runtime, run};

use crate::cache;

/// A library to compile.
pub(crate) struct Project<'p> {
    pub(crate) compiler: &'p Compiler,
    /// The source files, in the folder of the project.
    pub(crate) files: Vec<String>,
    /// Compiler options.
    pub(crate) options: Vec<String>,
    /// The level of the objects with counters.
    pub(crate) level: Level,
    /// Options and libraries for the linker.
    pub(crate) links: &'p [&'p str],
    /// The library with counters.
    pub(crate) library: &'p str,
    /// The library without counters, if it is compiled too.
    pub(crate) plain_library: Option<&'p str>,
}

/// Returns the folder of a version of a library. Its name depends on how the library is built.
pub(crate) fn place(name: &str, version: &str, built: impl Hash, cache: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    let runtime = [metacov_runtime::SOURCE, metacov_runtime::LINKER_SCRIPT];
    (built, COUNTING_LEVEL_LARGE, runtime).hash(&mut hasher);
    cache.join(format!("{name}-{version}-{:016x}", hasher.finish()))
}

/// Finds a library that was compiled before. `plain` is the library or the program without counters.
pub(crate) fn find(folder: PathBuf, library: &str, plain: &Path) -> io::Result<Option<Artifact>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let compiled_in = cache::compiled_in(&folder)?;
    let (counting, plain) = (Some(cache::file(&folder, library)?), plain.to_owned());
    Ok(Some(Artifact { folder, compiled_in, counting, plain }))
}

/// How code with counters is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Level {
    /// After the counters are placed, if the compiler can do that: the lines are nearly those of -O0.
    AfterCounters,
    /// Not at all.
    None,
}

/// The folder of objects without counters, which are removed after linking.
const PLAIN_OBJECTS: &str = "plain-objects";

/// The folder of objects that are being compiled.
const COMPILING: &str = "compiling";

impl Project<'_> {
    /// Compiles the files in a folder, on all processors, or those that an interrupted call has
    /// left. Objects with counters and their notes stay in the folder.
    pub(crate) fn compile(&self, build: &BuildOptions<'_>, folder: &Path) -> io::Result<()> {
        let runtime = Runtime::install(build.compiler, folder)?;
        let mut counting = runtime.compile_flags();
        counting.extend(self.counting_level(build).iter().map(Into::into));
        fs::create_dir_all(folder.join(COMPILING).join(PLAIN_OBJECTS))?;
        fs::create_dir_all(folder.join(PLAIN_OBJECTS))?;
        let plain = ["-O1".into()];
        let mut jobs = Vec::new();
        for file in &self.files {
            jobs.push(Job { file, flags: &counting, object: object(file) });
            if self.plain_library.is_some() {
                jobs.push(Job { file, flags: &plain, object: plain_object(file) });
            }
        }
        let objects: Vec<&str> = jobs.iter().map(|job| &*job.object).collect();
        compile_missing(&objects, build.progress, folder, |at| {
            self.compile_file(&jobs[at], folder)
        })?;
        let mut command = self.compiler.command();
        command.args(runtime.compile_flags()).arg(runtime.link_flag());
        self.link(command, folder, object, self.library)?;
        if let Some(library) = self.plain_library {
            self.link(self.compiler.command(), folder, plain_object, library)?;
        }
        fs::remove_dir_all(folder.join(COMPILING))?;
        fs::remove_dir_all(folder.join(PLAIN_OBJECTS))
    }

    fn counting_level(&self, build: &BuildOptions<'_>) -> &'static [&'static str] {
        match self.level {
            Level::AfterCounters if self.compiler.knows_exact_lines() => &COUNTING_LEVEL_LARGE,
            Level::AfterCounters => {
                let name = self.compiler.words().first().map(|name| name.display().to_string());
                let what = "has no switches for exact lines of optimised code; it compiles at -O0";
                (build.warn)(&format!("{} {what}", name.unwrap_or_default()));
                &["-O0"]
            }
            Level::None => &["-O0"],
        }
    }

    /// Compiles a file. Its notes and its object appear complete, the object last.
    fn compile_file(&self, job: &Job<'_>, folder: &Path) -> io::Result<()> {
        let compiled = format!("{COMPILING}/{}", job.object);
        let mut command = self.compiler.command();
        command.args(job.flags).args(["-fPIC", "-w"]).args(&self.options);
        command.args(["-c", job.file, "-o", &compiled]).current_dir(folder);
        let mut publish = || {
            run(&mut command)?;
            let notes = Path::new(&job.object).with_extension("gcno");
            for name in [notes.as_path(), Path::new(&job.object)] {
                let compiled = folder.join(COMPILING).join(name);
                if compiled.is_file() {
                    fs::rename(compiled, folder.join(name))?;
                }
            }
            Ok(())
        };
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", job.file));
        publish().map_err(named)
    }

    fn link(
        &self,
        mut compiler: Command,
        folder: &Path,
        object: impl Fn(&str) -> String,
        library: &str,
    ) -> io::Result<()> {
        compiler.arg("-shared").args(self.files.iter().map(|file| object(file)));
        run(compiler.args(["-o", library]).args(self.links).current_dir(folder))
    }
}

/// Calls `compile` with the position of each object that is not in a folder, on all processors. After an error, no other
/// object is begun.
pub(crate) fn compile_missing(
    objects: &[impl AsRef<Path> + Sync],
    progress: &(dyn Fn(usize, usize) + Sync),
    folder: &Path,
    compile: impl Fn(usize) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let is_missing = |at: &usize| !folder.join(&objects[*at]).is_file();
    let missing: Vec<usize> = (0..objects.len()).filter(is_missing).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(objects.len() - missing.len()));
    let failed = Mutex::new(None);
    progress(done.load(Relaxed), objects.len());
    let work = || {
        while let Some(at) = missing.get(next.fetch_add(1, Relaxed)) {
            if let Err(error) = compile(*at) {
                next.store(missing.len(), Relaxed);
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.get_or_insert(error);
                return;
            }
            progress(done.fetch_add(1, Relaxed) + 1, objects.len());
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        for _ in 0..threads.min(missing.len()) {
            scope.spawn(work);
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// An object to compile.
struct Job<'j> {
    file: &'j str,
    flags: &'j [OsString],
    object: String,
}

/// The name of the object of a source file. All objects are in one folder, as are their notes.
pub(crate) fn object(file: &str) -> String {
    format!("{}.o", file.replace('/', "-"))
}

fn plain_object(file: &str) -> String {
    format!("{PLAIN_OBJECTS}/{}", object(file))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_compiler_without_the_switches_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("old-gcc");
        let text = "#!/bin/sh\ncase \"$*\" in *-fdisable-*) exit 1; esac\nexec gcc \"$@\"\n";
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.path().join("a.c"), "int a(void) { return 1; }\n").unwrap();
        let warnings = Mutex::new(Vec::new());
        let build = BuildOptions {
            compiler: &Compiler::of("gcc".as_ref()),
            cache: folder.path(),
            progress: &|_, _| {},
            warn: &|what| warnings.lock().unwrap().push(what.to_owned()),
        };
        let project = Project {
            compiler: &Compiler::of(script.as_os_str()),
            files: vec!["a.c".to_owned()],
            options: Vec::new(),
            level: Level::AfterCounters,
            links: &[],
            library: "a.so",
            plain_library: Some("plain.so"),
        };
        project.compile(&build, folder.path()).unwrap();
        let warnings = warnings.into_inner().unwrap();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("old-gcc has no switches"), "{warnings:?}");
        for name in ["a.so", "plain.so", "a.c.gcno"] {
            assert!(folder.path().join(name).is_file(), "{name}");
        }
    }
}
