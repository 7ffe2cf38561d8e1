//! SQLite as a program with gcc's own coverage.

use std::path::Path;

use metacov_exec::GcovProgram;
use metacov_runtime::COUNTING_LEVEL;

use super::STATEMENTS;
use super::build::{HEADER, OPTIONS, SOURCE};
use crate::cc::Language;

/// Returns how the source in a folder is built: like metacov's SQLite, so that both count the same
/// lines.
pub(super) fn gcov_program(source: &Path) -> GcovProgram {
    let mut compiler = Language::C.compiler().command();
    compiler.arg("--coverage").args(COUNTING_LEVEL).arg("-w").args(OPTIONS);
    compiler.args(["-c", SOURCE, "statements.c"]);
    let mut linker = Language::C.compiler().command();
    linker.args(["--coverage", "sqlite3.o", "statements.o", "-o", "program", "-lm"]);
    GcovProgram {
        name: "SQLite",
        copied: [SOURCE, HEADER].iter().map(|name| source.join(name)).collect(),
        written: vec![("statements.c", STATEMENTS)],
        commands: vec![compiler, linker],
        source: SOURCE,
        counters: &["sqlite3.gcda", "statements.gcda"],
    }
}
