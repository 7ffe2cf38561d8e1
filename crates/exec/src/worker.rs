//! What one execution at a time needs: a supervisor, shared memory and a folder, used again for the
//! next.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use metacov_core::{Exit, Reading};
use metacov_formats::{Error, Fault, Intake, Place};
use metacov_runtime::{ARENA_VARIABLE, SERVE_VARIABLE, STDIN_VARIABLE};
use tempfile::TempDir;

use crate::arena::{Arena, Contents};
use crate::invocation::Invocation;
use crate::message::Request;
use crate::session::{Outcome, Question, Session};
use crate::supervisor::{Ended, Supervisor};
use crate::target::{Mode, Target, is_library};

pub(crate) struct Worker {
    supervisor: Supervisor,
    /// A target that goes on from input to input, if there is one.
    session: Option<Session>,
    arena: Arena,
    folder: TempDir,
}

impl Worker {
    pub(crate) fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("metacov-").tempdir()?;
        fs::create_dir(folder.path().join("counters"))?;
        let (supervisor, arena) = (Supervisor::start()?, Arena::new()?);
        Ok(Worker { supervisor, session: None, arena, folder })
    }

    /// Runs a target once.
    pub(crate) fn run(&mut self, target: &Target, invocation: &Invocation) -> io::Result<Ended> {
        match target.mode {
            Mode::Exec => self.execute(target, invocation),
            Mode::Fork | Mode::Inline => self.serve(target, invocation),
        }
    }

    /// A process for this input alone.
    fn execute(&mut self, target: &Target, invocation: &Invocation) -> io::Result<Ended> {
        let mut invocation = invocation.clone();
        if let (Some(setup), Some(input)) = (&target.setup, &mut invocation.input) {
            *input = self.input_file(input.extension(), &[setup, &fs::read(&input)?])?;
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

    /// A process that goes on from input to input.
    fn serve(&mut self, target: &Target, invocation: &Invocation) -> io::Result<Ended> {
        let Invocation { input, arguments, environment, stdin } = invocation;
        if !arguments.is_empty() || !environment.is_empty() || stdin.is_some() {
            let what = "arguments, environment and stdin of a side need a process of its own \
                        (--mode exec)";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let mut session = match self.session.take() {
            Some(session) => session,
            None => self.start_session(target)?,
        };
        let input = input.as_deref().map(fs::read).transpose()?.unwrap_or_default();
        let setup = target.setup.as_deref().unwrap_or_default();
        let mut ask = |question: Question<'_>, supervisor: &mut Supervisor| {
            session.ask(question, supervisor, target.limits.wall, &target.interrupted)
        };
        let outcome = match target.mode {
            _ if !is_library(&target.command) => {
                self.input_file(None, &[setup, &input])?;
                ask(Question::Run, &mut self.supervisor)?
            }
            Mode::Fork => ask(Question::RunForked(&input), &mut self.supervisor)?,
            _ if setup.is_empty() => ask(Question::RunInline(&input), &mut self.supervisor)?,
            _ => match ask(Question::RunInline(setup), &mut self.supervisor)? {
                Outcome::Ran(_) => ask(Question::RunInline(&input), &mut self.supervisor)?,
                other => other,
            },
        };
        let exit = match outcome {
            Outcome::Ran(exit) => {
                self.session = Some(session);
                exit
            }
            Outcome::RanAway(exit) => {
                self.supervisor.kill(&target.interrupted)?;
                exit
            }
            Outcome::Ended(exit) => exit,
            Outcome::Late => {
                self.supervisor.kill(&target.interrupted)?;
                Exit::Timeout
            }
        };
        Ok(Ended { exit, output: self.supervisor.output.text() })
    }

    fn start_session(&mut self, target: &Target) -> io::Result<Session> {
        self.arena.keep_nothing()?;
        let mut environment = self.environment();
        environment.push((SERVE_VARIABLE.into(), "1".into()));
        let library = is_library(&target.command);
        let command = if library {
            let own = ["/proc/self/exe".into(), "load".into(), "--".into()];
            own.into_iter().chain(target.command.iter().cloned()).collect()
        } else {
            let input = self.input_file(None, &[])?;
            let invocation = Invocation::of(input);
            let (command, stdin) = invocation.command(&target.command);
            environment.extend(stdin.map(|path| (STDIN_VARIABLE.into(), path.into())));
            command
        };
        let (limits, interrupted) = (&target.limits, &target.interrupted);
        let session =
            Session::start(&mut self.supervisor, command, environment, limits, interrupted);
        let mut session = session?.ok_or_else(|| self.not_serving(target))?;
        if let (Some(setup), Mode::Fork, true) = (&target.setup, target.mode, library) {
            let question = Question::RunInline(setup);
            let ran = session.ask(question, &mut self.supervisor, limits.wall, interrupted)?;
            if !matches!(ran, Outcome::Ran(_)) {
                return Err(io::Error::other("the setup does not run to its end"));
            }
        }
        self.arena.keep();
        Ok(session)
    }

    fn not_serving(&self, target: &Target) -> io::Error {
        let program = target.command.first().map(|name| Path::new(name).display().to_string());
        let said = self.supervisor.output.text();
        let what = match said.trim() {
            "" => "it does not fork for inputs (is it built with `metacov cc`?)",
            said => said,
        };
        io::Error::other(format!("{}: {what}", program.unwrap_or_default()))
    }

    /// What the last execution ran; none if it does not say.
    pub(crate) fn read(&self, intake: &mut Intake<'_>) -> Result<Option<Reading>, Error> {
        let fault = |what: &str| Err(Fault::malformed(Place::Whole, what).of("the program"));
        let in_memory = match self.arena.contents() {
            Contents::Counters(snapshots) if snapshots.is_empty() => None,
            Contents::Counters(snapshots) => Some(intake.read_snapshots(&snapshots)?),
            Contents::Refused(version) => {
                return fault(&format!("compiled by a gcc that is not known, version {version}"));
            }
            Contents::Full => {
                return fault("its counters do not fit into memory (does it fork very often?)");
            }
        };
        let in_files = intake.read_folder(&self.counters())?;
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
        for entry in fs::read_dir(self.counters())? {
            fs::remove_dir_all(entry?.path())?;
        }
        if self.session.is_some() { self.arena.clear() } else { self.arena.keep_nothing() }
    }

    /// Where a target counts.
    fn environment(&self) -> Vec<(OsString, OsString)> {
        vec![
            (ARENA_VARIABLE.into(), self.arena.path().into()),
            // For those who are linked with libgcov: files of their own for each execution.
            ("GCOV_PREFIX".into(), self.counters().into()),
            ("GCOV_PREFIX_STRIP".into(), "0".into()),
        ]
    }

    fn counters(&self) -> PathBuf {
        self.folder.path().join("counters")
    }

    /// A file for an input that is not as it was given.
    fn input_file(&self, ending: Option<&OsStr>, parts: &[&[u8]]) -> io::Result<PathBuf> {
        let path = self.folder.path().join("input");
        let path = ending.map_or(path.clone(), |ending| path.with_extension(ending));
        fs::write(&path, parts.concat())?;
        Ok(path)
    }
}
