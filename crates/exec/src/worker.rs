//! What one execution at a time needs: a supervisor, shared memory and a folder, used again for the
//! next.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use metacov_core::Reading;
use metacov_formats::{CoverageLoader, Error, Fault, Location};
use metacov_runtime::ARENA_VARIABLE;

use crate::arena::{Arena, Contents};
use crate::counters::CountersFolder;
use crate::invocation::Invocation;
use crate::message::Request;
use crate::session::ForkServer;
use crate::supervisor::{Ended, Supervisor};
use crate::target::{Mode, Program};

/// What files for inputs are called.
const INPUT_NAME: &str = "input";

pub(crate) struct Worker {
    pub(crate) supervisor: Supervisor,
    /// A target that goes on from input to input, if there is one.
    pub(crate) session: Option<ForkServer>,
    pub(crate) arena: Arena,
    /// The counters of a first execution, if the last one was its repetition.
    pub(crate) first: Option<Vec<Vec<u8>>>,
    /// What that target does only once, and would do each time if it did not go on.
    pub(crate) once: Option<Reading>,
    /// For those who are linked with libgcov.
    counters: CountersFolder,
    /// For files of an execution. The supervisor takes it away.
    folder: PathBuf,
}

impl Worker {
    pub(crate) fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("metacov-").tempdir()?;
        let counters = CountersFolder::create(folder.path().join("counters"))?;
        let (supervisor, arena) = (Supervisor::start(folder.path())?, Arena::new()?);
        let folder = folder.keep();
        Ok(Worker { supervisor, session: None, arena, first: None, once: None, counters, folder })
    }

    /// Runs a target once, in the mode that `Program::mode_of` gives this invocation.
    pub(crate) fn run(&mut self, target: &Program, invocation: &Invocation) -> io::Result<Ended> {
        match target.mode_of(invocation) {
            Mode::Exec => self.execute(target, invocation),
            Mode::Fork | Mode::Inline => self.serve(target, invocation),
        }
    }

    /// A process for this input alone.
    fn execute(&mut self, target: &Program, invocation: &Invocation) -> io::Result<Ended> {
        let mut invocation = invocation.clone();
        if let Some(input) = &mut invocation.input {
            *input = self.with_setup(target, input)?;
        }
        let (command, stdin) = invocation.command(&target.command);
        let stdin = File::open(stdin.unwrap_or(Path::new("/dev/null")))?;
        let mut environment = self.environment();
        environment.extend(invocation.environment.iter().cloned());
        let limits = &target.limits;
        let (wall, grace, cpu) = (Some(limits.wall), limits.grace, limits.cpu);
        let memory_bytes = limits.memory_bytes;
        let request = Request { command, environment, wall, grace, cpu, memory_bytes };
        self.supervisor.run(&request, &stdin, &target.interrupted)
    }

    /// What the last execution ran; none if it does not say.
    pub(crate) fn read(
        &mut self,
        intake: &mut CoverageLoader<'_>,
    ) -> Result<Option<Reading>, Error> {
        let mut reading = self.read_counters(intake)?;
        if let (Some(first), Some(second)) = (self.first.take(), &reading) {
            self.arena.set_counters(&first);
            if let Some(mut first) = self.read_counters(intake)? {
                first.executed -= &second.executed;
                self.once = Some(first);
            }
        }
        if let (Some(reading), Some(once)) = (&mut reading, &self.once) {
            reading.unite(once);
        }
        Ok(reading)
    }

    fn read_counters(&self, intake: &mut CoverageLoader<'_>) -> Result<Option<Reading>, Error> {
        let fault = |what: &str| Err(Fault::malformed(Location::Whole, what).of("the program"));
        let in_memory = match self.arena.contents() {
            Contents::Counters(snapshots) if snapshots.is_empty() => None,
            Contents::Counters(snapshots) => Some(intake.read_snapshots(&snapshots)?),
            Contents::Unfinished(snapshots) => Some(intake.read_snapshots_of_crash(&snapshots)?),
            Contents::Refused(version) => {
                return fault(&format!("compiled by a gcc that is not known, version {version}"));
            }
            Contents::Full => {
                return fault("its counters do not fit into memory (does it fork very often?)");
            }
        };
        let has_files =
            !self.counters.is_empty().map_err(|error| Fault::Io(error).of("counters"))?;
        let in_files = if has_files { intake.read_folder(self.counters.path())? } else { None };
        Ok(match (in_memory, in_files) {
            (Some(mut reading), Some(other)) => {
                reading.unite(&other);
                Some(reading)
            }
            (reading, other) => reading.or(other),
        })
    }

    /// Forgets the last execution.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.counters.clear()?;
        if self.session.is_some() { self.arena.clear() } else { self.arena.keep_nothing() }
    }

    /// Where a target counts.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        vec![
            (ARENA_VARIABLE.into(), self.arena.path().into()),
            // For those who are linked with libgcov: files of their own for each execution.
            ("GCOV_PREFIX".into(), self.counters.path().into()),
            ("GCOV_PREFIX_STRIP".into(), "0".into()),
        ]
    }

    /// The file that a program gets for an input: the input itself, or a file with the setup in front.
    pub(crate) fn with_setup(&self, target: &Program, input: &Path) -> io::Result<PathBuf> {
        let Some(setup) = &target.setup else { return Ok(input.to_owned()) };
        let path = self.folder.join(INPUT_NAME);
        let path = input.extension().map_or(path.clone(), |ending| path.with_extension(ending));
        fs::write(&path, [setup.content(), &fs::read(input)?].concat())?;
        Ok(path)
    }

    /// An empty file that stands for the input in the arguments of a program that forks: scripts
    /// in front of the program may look for it.
    pub(crate) fn stand_in(&self) -> io::Result<PathBuf> {
        let path = self.folder.join(INPUT_NAME);
        fs::write(&path, "")?;
        Ok(path)
    }
}
