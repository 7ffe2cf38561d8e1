// SQLite as a library that counts. The build script includes this file too.

use std::io;
use std::path::Path;

use metacov_runtime::{Compiler, Runtime, run};

/// What SQLite is compiled with: everything that a test generator may reach, and no threads, since
/// counts of several threads get lost.
pub const OPTIONS: &[&str] = &[
    "-DSQLITE_THREADSAFE=0",
    "-DSQLITE_OMIT_LOAD_EXTENSION",
    "-DSQLITE_ENABLE_FTS4",
    "-DSQLITE_ENABLE_FTS5",
    "-DSQLITE_ENABLE_RTREE",
    "-DSQLITE_ENABLE_JSON1",
    "-DSQLITE_ENABLE_MATH_FUNCTIONS",
    "-DSQLITE_ENABLE_DBSTAT_VTAB",
    "-DSQLITE_ENABLE_STAT4",
    // Tests are held against other builds; the hash of the source has no place in their results.
    "-DSQLITE_DEFAULT_MEMSTATUS=0",
];

/// The library that counts.
pub const LIBRARY: &str = "libsqlite3.so";
/// The same without counters, as fast as the compiler makes it: for tests that nobody measures.
pub const PLAIN_LIBRARY: &str = "libsqlite3-plain.so";
/// What its counters mean.
pub const NOTES: &str = "sqlite3.gcno";
/// The folder of a library that counts and is optimized, with notes of its own: for campaigns, which
/// want to know what is new more than which line it is on.
pub const SWIFT: &str = "swift";
/// Its interface.
pub const HEADER: &str = "sqlite3.h";
/// Its source.
pub const SOURCE: &str = "sqlite3.c";

/// Compiles the amalgamation that lies in `source` into `folder`.
pub fn compile(compiler: &Compiler, source: &Path, folder: &Path) -> io::Result<()> {
    for name in [SOURCE, HEADER] {
        std::fs::copy(source.join(name), folder.join(name))?;
    }
    std::fs::create_dir_all(folder.join(SWIFT))?;
    let runtime = Runtime::install(compiler, folder)?;
    // Each takes most of a minute.
    std::thread::scope(|scope| {
        let plain = scope.spawn(|| compile_plain(compiler, folder));
        let swift =
            scope.spawn(|| compile_counting(compiler, folder, Path::new(SWIFT), "-O2", &runtime));
        compile_counting(compiler, folder, Path::new(""), "-O0", &runtime)?;
        for compiled in [plain, swift] {
            compiled.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(())
    })
}

/// Compiles a library that counts into a folder below `folder`.
fn compile_counting(
    compiler: &Compiler,
    folder: &Path,
    below: &Path,
    level: &str,
    runtime: &Runtime,
) -> io::Result<()> {
    let (object, library) = (below.join("sqlite3.o"), below.join(LIBRARY));
    let mut compile = compiler.command();
    compile.args(runtime.compile_flags()).args([level, "-fPIC", "-w"]).args(OPTIONS);
    run(compile.args(["-c", SOURCE, "-o"]).arg(&object).current_dir(folder))?;
    let mut link = compiler.command();
    link.args(runtime.compile_flags()).arg(runtime.link_flag());
    run(link.arg("-shared").arg(&object).arg("-o").arg(&library).arg("-lm").current_dir(folder))
}

fn compile_plain(compiler: &Compiler, folder: &Path) -> io::Result<()> {
    let mut library = compiler.command();
    library.args(["-O2", "-fPIC", "-w", "-shared"]).args(OPTIONS);
    run(library.args([SOURCE, "-o", PLAIN_LIBRARY, "-lm"]).current_dir(folder))
}
