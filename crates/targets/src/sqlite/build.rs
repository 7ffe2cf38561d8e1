// SQLite as a library with counters. The build script includes this file too.

use std::io;
use std::path::Path;

use metacov_runtime::Compiler;

use crate::builder::Source;

/// The options for SQLite: everything that a test generator may reach, and no threads, since counts
/// of several threads get lost.
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
    // Tests compare with other builds, and the hash of the source must not appear in their results.
    "-DSQLITE_DEFAULT_MEMSTATUS=0",
];

/// The notes that describe its counters.
pub const NOTES: &str = "sqlite3.gcno";
/// Its interface.
pub const HEADER: &str = "sqlite3.h";
/// Its source.
pub const SOURCE: &str = "sqlite3.c";

/// The libraries to compile.
pub(crate) const LIBRARIES: Source<'static> = Source {
    name: "sqlite3",
    library: "libsqlite3.so",
    plain_library: "libsqlite3-plain.so",
    options: OPTIONS,
};

/// Compiles the amalgamation in `source` into `folder`.
pub(crate) fn compile(compiler: &Compiler, source: &Path, folder: &Path) -> io::Result<()> {
    for name in [SOURCE, HEADER] {
        std::fs::copy(source.join(name), folder.join(name))?;
    }
    LIBRARIES.compile(compiler, folder)
}
