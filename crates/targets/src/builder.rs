// Libraries in all flavours, from one source file. The build script includes this file too.

use std::io;
use std::path::Path;

use metacov_runtime::{Compiler, Runtime, run};

/// The folder of the library that counts on optimised code, with notes of its own.
pub(crate) const FAST: &str = "swift";

/// What is compiled.
pub(crate) struct Source<'s> {
    /// The source file, without its extension.
    pub(crate) name: &'s str,
    /// The library that counts.
    pub(crate) library: &'s str,
    /// The library without counters.
    pub(crate) plain_library: &'s str,
    /// Options of the compiler.
    pub(crate) options: &'s [&'s str],
}

impl Source<'_> {
    /// Compiles the source file, which lies in `folder`, in all flavours.
    pub(crate) fn compile(&self, compiler: &Compiler, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder.join(FAST))?;
        let runtime = Runtime::install(compiler, folder)?;
        // In parallel: a large source takes most of a minute in each flavour.
        std::thread::scope(|scope| {
            let plain = scope.spawn(|| self.compile_plain(compiler, folder));
            let fast = scope.spawn(|| {
                self.compile_counting(compiler, folder, Path::new(FAST), "-O2", &runtime)
            });
            self.compile_counting(compiler, folder, Path::new(""), "-O0", &runtime)?;
            for compiled in [plain, fast] {
                compiled.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            }
            Ok(())
        })
    }

    /// Compiles a library that counts into a folder below `folder`.
    fn compile_counting(
        &self,
        compiler: &Compiler,
        folder: &Path,
        below: &Path,
        level: &str,
        runtime: &Runtime,
    ) -> io::Result<()> {
        let (object, library) = (below.join(format!("{}.o", self.name)), below.join(self.library));
        let mut compile = compiler.command();
        compile.args(runtime.compile_flags()).args([level, "-fPIC", "-w"]).args(self.options);
        let compile = compile.args(["-c", &self.file(), "-o"]).arg(&object);
        run(compile.current_dir(folder))?;
        let mut link = compiler.command();
        link.args(runtime.compile_flags()).arg(runtime.link_flag());
        let link = link.arg("-shared").arg(&object).arg("-o").arg(&library).arg("-lm");
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
