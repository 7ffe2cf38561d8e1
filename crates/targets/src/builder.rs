// Compiles libraries with and without counters from one source file. The build script includes this
// file too.

use std::io;
use std::path::Path;

use metacov_runtime::{Compiler, Runtime, run};

/// A library to compile.
pub(crate) struct Source<'s> {
    /// The source file, without its extension.
    pub(crate) name: &'s str,
    /// The library with counters.
    pub(crate) library: &'s str,
    /// The library without counters.
    pub(crate) plain_library: &'s str,
    /// Compiler options.
    pub(crate) options: &'s [&'s str],
}

impl Source<'_> {
    /// Compiles the source file in `folder`, with and without counters.
    pub(crate) fn compile(&self, compiler: &Compiler, folder: &Path) -> io::Result<()> {
        // In parallel: a large source takes most of a minute each time.
        std::thread::scope(|scope| {
            let plain = scope.spawn(|| self.compile_plain(compiler, folder));
            self.compile_counting(compiler, folder)?;
            plain.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn compile_counting(&self, compiler: &Compiler, folder: &Path) -> io::Result<()> {
        let runtime = Runtime::install(compiler, folder)?;
        let object = format!("{}.o", self.name);
        let mut compile = compiler.command();
        compile.args(runtime.compile_flags()).args(compiler.counting_level()).args(["-fPIC", "-w"]);
        compile.args(self.options).args(["-c", &self.file(), "-o", &object]);
        run(compile.current_dir(folder))?;
        let mut link = compiler.command();
        link.args(runtime.compile_flags()).arg(runtime.link_flag());
        link.args(["-shared", &object, "-o", self.library, "-lm"]);
        run(link.current_dir(folder))
    }

    fn compile_plain(&self, compiler: &Compiler, folder: &Path) -> io::Result<()> {
        let mut library = compiler.command();
        library.args(["-O2", "-fPIC", "-w", "-shared"]).args(self.options);
        let library = library.args([&self.file(), "-o", self.plain_library, "-lm"]);
        run(library.current_dir(folder))
    }

    fn file(&self) -> String {
        format!("{}.c", self.name)
    }
}
