//! Compiles libraries with and without counters from many source files.

use std::fs;
use std::io;
use std::num::NonZero;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use metacov_exec::BuildOptions;
use metacov_runtime::{Compiler, Runtime, run};

/// A library to compile.
pub(crate) struct Project<'p> {
    /// The source files, in the folder of the project.
    pub(crate) files: Vec<String>,
    /// Compiler options.
    pub(crate) options: &'p [&'p str],
    /// Libraries to link.
    pub(crate) links: &'p [&'p str],
    /// The library with counters.
    pub(crate) library: &'p str,
    /// The library without counters.
    pub(crate) plain_library: &'p str,
}

/// The folder of objects without counters, which are removed after linking.
const PLAIN_OBJECTS: &str = "plain-objects";

impl Project<'_> {
    /// Compiles the files in a folder, with and without counters, on all processors. Objects with
    /// counters and their notes stay in the folder.
    pub(crate) fn compile(&self, build: &BuildOptions<'_>, folder: &Path) -> io::Result<()> {
        let compiler = build.compiler;
        let runtime = Runtime::install(compiler, folder)?;
        fs::create_dir(folder.join(PLAIN_OBJECTS))?;
        let done = AtomicUsize::new(0);
        let next = Mutex::new(self.files.iter().flat_map(|file| [(file, true), (file, false)]));
        let work = || loop {
            let job = next.lock().ok().and_then(|mut next| next.next());
            let Some((file, counts)) = job else { return Ok::<(), io::Error>(()) };
            self.compile_file(compiler, &runtime, folder, file, counts)?;
            (build.progress)(done.fetch_add(1, Relaxed) + 1, 2 * self.files.len());
        };
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| match worker.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })?;
        let mut counting = compiler.command();
        counting.args(runtime.compile_flags()).arg(runtime.link_flag());
        self.link(counting, folder, object, self.library)?;
        let plain = |file: &str| format!("{PLAIN_OBJECTS}/{}", object(file));
        self.link(compiler.command(), folder, plain, self.plain_library)?;
        fs::remove_dir_all(folder.join(PLAIN_OBJECTS))
    }

    fn compile_file(
        &self,
        compiler: &Compiler,
        runtime: &Runtime,
        folder: &Path,
        file: &str,
        counts: bool,
    ) -> io::Result<()> {
        let mut compile = compiler.command();
        let object = if counts {
            compile.args(runtime.compile_flags()).args(compiler.counting_level());
            object(file)
        } else {
            compile.arg("-O1");
            format!("{PLAIN_OBJECTS}/{}", object(file))
        };
        compile.args(["-fPIC", "-w"]).args(self.options).args(["-c", file, "-o", &object]);
        run(compile.current_dir(folder))
            .map_err(|error| io::Error::new(error.kind(), format!("{file}: {error}")))
    }

    fn link(
        &self,
        mut compiler: std::process::Command,
        folder: &Path,
        object: impl Fn(&str) -> String,
        library: &str,
    ) -> io::Result<()> {
        compiler.arg("-shared").args(self.files.iter().map(|file| object(file)));
        run(compiler.args(["-o", library]).args(self.links).current_dir(folder))
    }
}

/// The name of the object of a source file. All objects are in one folder, as are their notes.
fn object(file: &str) -> String {
    format!("{}.o", file.replace('/', "-"))
}
