//! SQLite: the version included in the binary, and others from the packages that bundle them.
//!
//! The build script compiles the amalgamation that this workspace depends on anyway, with coverage,
//! and includes it in the binary with the notes that its counters need and the source that reports
//! show. So metacov can be tried without a target.

mod build;
mod connection;
mod embedded;
mod engine;
mod functions;
mod gcov_program;
mod random;
mod session;
mod versions;

use std::io;
use std::path::{Path, PathBuf};

use metacov_core::Method;
use metacov_exec::{Artifact, BuildOptions, GcovProgram, OpenOptions, Session, Target};

pub use build::OPTIONS;
pub use embedded::{STATEMENTS, VERSION, unpack};

use build::LIBRARIES;
use session::SqliteSession;
use versions::VERSIONS;

use crate::mutated;

/// SQLite.
pub struct Sqlite;

impl Target for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn method(&self) -> &'static dyn Method {
        metacov_methods::SQLITE
    }

    fn default_version(&self) -> &'static str {
        VERSION
    }

    fn versions(&self) -> Vec<&'static str> {
        VERSIONS.iter().map(|(version, _)| *version).chain([VERSION]).collect()
    }

    fn is_embedded(&self, version: &str) -> bool {
        version == VERSION
    }

    fn find(&self, version: &str, cache: &Path) -> io::Result<Option<Artifact>> {
        versions::find(version, cache)
    }

    fn build(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<Artifact> {
        versions::build(version, options.compiler, options.cache)
    }

    fn build_mutants(&self, version: &str, options: &BuildOptions<'_>) -> io::Result<PathBuf> {
        let artifact = self.build(version, options)?;
        mutated::build(&LIBRARIES, version, &artifact.folder, options)
    }

    fn gcov_program(&self, artifact: &Artifact) -> Option<GcovProgram> {
        Some(gcov_program::gcov_program(&artifact.folder))
    }

    fn open(&self, library: &Path, options: &OpenOptions<'_>) -> io::Result<Box<dyn Session>> {
        Ok(Box::new(SqliteSession::open(library, options)?))
    }
}
