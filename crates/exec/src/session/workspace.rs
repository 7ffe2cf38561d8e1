//! The resources of one execution at a time, reused for the next.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use metacov_core::{Reading, SideOutput};
use metacov_formats::{CoverageLoader, Error, Fault, Location};
use metacov_runtime::ARENA_VARIABLE;

use super::NoCounters;
use super::invocation::Environment;
use super::program::Program;
use crate::arena::{Arena, Contents};
use crate::counters::CountersFolder;
use crate::process::supervisor::Supervisor;

/// The name of input files in the folder.
const INPUT_NAME: &str = "input";

/// The name of the file with the standard output.
const OUTPUT_NAME: &str = "output";

/// A supervisor, shared memory and a folder.
pub(crate) struct Workspace {
    pub(crate) supervisor: Supervisor,
    pub(super) arena: Arena,
    /// The counters of programs that are linked with libgcov.
    pub(super) counters: CountersFolder,
    /// For files of an execution. The supervisor removes it.
    folder: PathBuf,
}

impl Workspace {
    pub(crate) fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("metacov-").tempdir()?;
        let counters = CountersFolder::create(folder.path().join("counters"))?;
        let (supervisor, arena) = (Supervisor::start(folder.path())?, Arena::new()?);
        Ok(Workspace { supervisor, arena, counters, folder: folder.keep() })
    }

    /// The variables that direct a program's counters here.
    pub(super) fn environment(&self) -> Environment {
        vec![
            (ARENA_VARIABLE.into(), self.arena.path().into()),
            // For programs that are linked with libgcov.
            ("GCOV_PREFIX".into(), self.counters.path().into()),
            ("GCOV_PREFIX_STRIP".into(), "0".into()),
        ]
    }

    /// The file that a program gets for an input: the input itself, or a copy that starts with the
    /// setup.
    pub(crate) fn with_setup(&self, program: &Program, input: &Path) -> io::Result<PathBuf> {
        let Some(setup) = &program.setup else { return Ok(input.to_owned()) };
        let path = self.folder.join(INPUT_NAME);
        let path = input.extension().map_or(path.clone(), |ending| path.with_extension(ending));
        fs::write(&path, [setup.content(), &fs::read(input)?].concat())?;
        Ok(path)
    }

    /// An empty file that replaces the input in the arguments of a fork server: wrapper scripts may
    /// check that it exists.
    pub(super) fn placeholder(&self) -> io::Result<PathBuf> {
        let path = self.folder.join(INPUT_NAME);
        fs::write(&path, "")?;
        Ok(path)
    }

    /// The path of a file of the execution.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The file that the standard output of executions is appended to.
    pub(crate) fn output_path(&self) -> PathBuf {
        self.path(OUTPUT_NAME)
    }

    /// Empties the file of the standard output, or creates it.
    pub(crate) fn empty_output(&self) -> io::Result<File> {
        let path = self.output_path();
        match File::options().append(true).create(true).open(path) {
            Ok(file) => file.set_len(0).map(|()| file),
            Err(error) => Err(error),
        }
    }

    /// The standard output since it was emptied, as far as it is judged, and its size.
    pub(super) fn read_output(&self) -> io::Result<(Vec<u8>, u64)> {
        let file = File::open(self.output_path())?;
        let bytes = file.metadata()?.len();
        let mut content = Vec::new();
        file.take(SideOutput::JUDGED_BYTES_MAX).read_to_end(&mut content)?;
        Ok((content, bytes))
    }

    /// Reads the coverage from the counters in memory and in files.
    pub(super) fn read_counters(
        &self,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, NoCounters>, Error> {
        let fault = |what: &str| Err(Fault::malformed(Location::Whole, what).of("the program"));
        let in_memory = match self.arena.contents() {
            Contents::Counters(snapshots) if snapshots.is_empty() => None,
            Contents::Counters(snapshots) => Some(loader.read_snapshots(&snapshots)?),
            Contents::Unfinished(snapshots) => Some(loader.read_snapshots_of_crash(&snapshots)?),
            Contents::Refused(version) => {
                return fault(&format!("compiled by a gcc that is not known, version {version}"));
            }
            Contents::Full => return Ok(Err(NoCounters::TooMany)),
        };
        let has_files =
            !self.counters.is_empty().map_err(|error| Fault::Io(error).of("counters"))?;
        let in_files = if has_files { loader.read_folder(self.counters.path())? } else { None };
        Ok(match (in_memory, in_files) {
            (Some(mut reading), Some(other)) => {
                reading.unite(&other);
                Ok(reading)
            }
            (reading, other) => reading.or(other).ok_or(NoCounters::None),
        })
    }
}
