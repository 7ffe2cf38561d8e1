//! Executions in a process that serves one input after the other.
//!
//! There are two kinds of servers: a program built with `metacov cc`, which the runtime stops
//! before `main` and forks for each input; and `metacov load`, which loads a shared library and
//! calls it for each input, in a forked child or in its own process.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use metacov_core::{Cover, Exit, Reading};
use metacov_formats::{CoverageLoader, Error, Fault};
use metacov_runtime::{
    BIND_NOW_VALUE, BIND_NOW_VARIABLE, INPUT_VARIABLE, LIMITS_VARIABLE, OUTPUT_VARIABLE, READY,
    READY_BEFORE, SERVE_VARIABLE,
};
use rustix::pipe::{PipeFlags, pipe_with};

use super::invocation::{Environment, Execution, Invocation};
use super::program::{Mode, Program};
use super::workspace::Workspace;
use super::{NoCounters, ProcessSession};
use crate::error::ExecError;
use crate::process::limits::{Limits, whole_seconds};
use crate::process::not_run::{NotRun, not_started};
use crate::process::supervisor::{Ended, Event, Supervisor, about};
use crate::process::supervisor_main::exit;
use crate::process::wire::Request;

/// Runs inputs in a server, which is started for the first input and after a server has ended.
pub(super) struct ForkServerSession {
    workspace: Workspace,
    server: Option<ForkServer>,
    /// The counters of a first execution, if the last one was its repetition.
    first: Option<Vec<Vec<u8>>>,
    /// What the server runs for the first input only, but a new process would run for each input.
    once: Option<Reading>,
    /// The reading of an execution of this server, with the sites of `once` alone.
    start: Option<Reading>,
}

impl ForkServerSession {
    pub(super) fn new() -> io::Result<Self> {
        let workspace = Workspace::new()?;
        Ok(ForkServerSession { workspace, server: None, first: None, once: None, start: None })
    }

    /// Starts a server. Code that it runs before the first input counts for all inputs, as it would
    /// if each had a new process.
    fn start_server(&mut self, program: &Program) -> Result<ForkServer, ExecError> {
        if program.mode == Mode::Inline && program.limits.cpu.is_some() {
            let what = "processor time is limited by process, and all inputs share one (use --mode \
                        fork)";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
        }
        let (command, environment) = self.server_command(program)?;
        self.workspace.arena.keep_nothing()?;
        (self.once, self.start) = (None, None);
        let (limits, interrupted) = (&program.limits, &program.interrupted);
        let supervisor = &mut self.workspace.supervisor;
        let start = ForkServer::start(supervisor, command, environment, limits, interrupted)?;
        let Start::Ready(mut server) = start else {
            return Err(self.not_serving(program, &start).into());
        };
        if let (Some(setup), Mode::Fork, true) =
            (&program.setup, program.mode, program.is_library())
        {
            let request = ServerRequest::RunInline(setup.content());
            let reply = self.execute(&mut server, program, request)?;
            if !matches!(reply, ServerReply::Ran(_)) {
                return Err(io::Error::other("the setup fails").into());
            }
        }
        self.workspace.arena.keep();
        if program.mode == Mode::Inline && !self.workspace.arena.is_isolated() {
            let what = "its counters share memory with other variables, so they cannot be \
                        reset (link it with `metacov cc` and GNU ld or lld, or use --mode fork)";
            return Err(io::Error::other(what).into());
        }
        Ok(server)
    }

    /// The command that starts a program's server, and its environment.
    fn server_command(&self, program: &Program) -> io::Result<(Vec<OsString>, Environment)> {
        let mut environment = self.workspace.environment();
        let Limits { grace, cpu, .. } = program.limits;
        let limits = format!("{} {}", grace.as_millis(), cpu.map_or(0, whole_seconds));
        environment.push((LIMITS_VARIABLE.into(), limits.into()));
        if program.keeps_output {
            self.workspace.empty_output()?;
            environment.push((OUTPUT_VARIABLE.into(), self.workspace.output_path().into()));
        }
        if program.mode == Mode::Fork {
            environment.push((SERVE_VARIABLE.into(), "1".into()));
        }
        if program.is_library() {
            let own = ["/proc/self/exe".into(), "load".into(), "--".into()];
            let command = own.into_iter().chain(program.command.iter().cloned()).collect();
            return Ok((command, environment));
        }
        // Symbols are looked up once, not in each child.
        if std::env::var_os(BIND_NOW_VARIABLE).is_none() {
            environment.push((BIND_NOW_VARIABLE.into(), BIND_NOW_VALUE.into()));
        }
        let placeholder = self.workspace.placeholder()?;
        let invocation = Invocation::of(placeholder.clone());
        let (command, stdin) = invocation.command(&program.command);
        if stdin.is_none() {
            environment.push((INPUT_VARIABLE.into(), placeholder.into()));
        }
        Ok((command, environment))
    }

    fn not_serving(&self, program: &Program, start: &Start) -> io::Error {
        let output = self.workspace.supervisor.output.text();
        let what = match (start, output.trim()) {
            (Start::Earlier, _) => {
                "it was built with an earlier metacov, and forks by other rules (build it again \
                 with this `metacov cc`, or use --mode exec)"
            }
            (_, "") => "it does not fork for inputs (is it built with `metacov cc`?)",
            (_, output) => output,
        };
        io::Error::other(format!("{}: {what}", program.name()))
    }

    /// Runs the first input of a library twice, to find the code that the library runs only once,
    /// when it is called for the first time.
    fn run_first(
        &mut self,
        server: &mut ForkServer,
        program: &Program,
        execution: &Execution<'_>,
        input: &Path,
    ) -> Result<ServerReply, ExecError> {
        let mut reply = self.run_input(server, program, execution, input)?;
        if matches!(reply, ServerReply::Ran(_)) {
            self.first = Some(self.workspace.arena.counters());
            self.workspace.arena.clear()?;
            reply = self.run_input(server, program, execution, input)?;
        }
        Ok(reply)
    }

    /// Runs an input, after the setup unless the server has run that already.
    fn run_input(
        &mut self,
        server: &mut ForkServer,
        program: &Program,
        execution: &Execution<'_>,
        input: &Path,
    ) -> Result<ServerReply, ExecError> {
        if program.keeps_output {
            self.workspace.empty_output()?;
        }
        if program.mode == Mode::Inline {
            let setup = program.setup.as_ref().filter(|setup| !setup.content().is_empty());
            if let Some(setup) = setup {
                let request = ServerRequest::RunInline(setup.content());
                let reply = self.execute(server, program, request)?;
                if !matches!(reply, ServerReply::Ran(_)) {
                    return Ok(reply);
                }
            }
            self.execute(server, program, ServerRequest::RunInline(&execution.content(input)?))
        } else if program.is_library() {
            self.execute(server, program, ServerRequest::RunForked(&execution.content(input)?))
        } else {
            let input = self.workspace.with_setup(program, input)?;
            // The server opens it in a child, which cannot report an error.
            fs::metadata(&input)?;
            self.execute(server, program, ServerRequest::Run(&input))
        }
    }

    fn execute(
        &mut self,
        server: &mut ForkServer,
        program: &Program,
        request: ServerRequest<'_>,
    ) -> Result<ServerReply, ExecError> {
        let supervisor = &mut self.workspace.supervisor;
        server.execute(request, supervisor, program.limits.wall, &program.interrupted)
    }
}

impl ProcessSession for ForkServerSession {
    fn run(&mut self, program: &Program, execution: &Execution<'_>) -> Result<Ended, ExecError> {
        let Some(input) = execution.invocation.only_input() else {
            let what = "a library gets an input, and no arguments, environment or standard input";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what).into());
        };
        let running = self.server.take();
        let is_first = running.is_none() && program.mode == Mode::Inline;
        let mut server = running.map_or_else(|| self.start_server(program), Ok)?;
        let reply = if is_first {
            self.run_first(&mut server, program, execution, input)?
        } else {
            self.run_input(&mut server, program, execution, input)?
        };
        let exit = match reply {
            ServerReply::Ran(exit) => {
                self.server = Some(server);
                exit
            }
            ServerReply::LeftProcesses(exit) => {
                self.workspace.supervisor.kill(&program.interrupted)?;
                exit
            }
            ServerReply::NotStarted(error) => {
                self.server = Some(server);
                return Err(not_started(error));
            }
            ServerReply::Ended(exit) => exit,
            ServerReply::Late => {
                self.workspace.supervisor.kill(&program.interrupted)?;
                Exit::Timeout
            }
        };
        Ok(Ended { exit, output: self.workspace.supervisor.output.text() })
    }

    fn output(&self) -> io::Result<(Vec<u8>, u64)> {
        self.workspace.read_output()
    }

    fn read(
        &mut self,
        loader: &mut CoverageLoader<'_>,
    ) -> Result<Result<Reading, NoCounters>, Error> {
        let mut reading = self.workspace.read_counters(loader)?;
        if let (Some(first), Ok(second)) = (self.first.take(), &reading) {
            self.workspace.arena.set_counters(&first);
            if let Ok(mut first) = self.workspace.read_counters(loader)? {
                first.executed -= &second.executed;
                self.once = Some(first);
            }
        }
        if let (Ok(reading), Some(once)) = (&mut reading, &self.once) {
            reading.unite(once);
        }
        if let (Ok(reading), None) = (&reading, &self.start) {
            let once = self.once.as_ref().map(|once| once.executed.clone());
            let executed = once.unwrap_or_else(|| Cover::of(loader.table()));
            self.start = Some(Reading { executed, ..reading.clone() });
        }
        Ok(reading)
    }

    fn take(&mut self, loader: &mut CoverageLoader<'_>) -> Result<Option<Reading>, Error> {
        let Some(start) = &self.start else { return Ok(None) };
        let Workspace { arena, counters, .. } = &mut self.workspace;
        let fault = |error| Fault::Io(error).of("counters");
        // Others have to be read: those of processes that the input has started, and those in files.
        if !arena.has_only_kept() || !counters.is_empty().map_err(fault)? {
            return Ok(None);
        }
        arena.take(|layout, counters| loader.take(layout, counters))?;
        loader.end_execution();
        Ok(Some(start.clone()))
    }

    fn clear(&mut self) -> io::Result<()> {
        self.workspace.counters.clear()?;
        let arena = &mut self.workspace.arena;
        if self.server.is_some() { arena.clear() } else { arena.keep_nothing() }
    }
}

/// A request to a server.
#[derive(Clone, Copy)]
enum ServerRequest<'i> {
    /// Run the input at this path, in a child.
    Run(&'i Path),
    /// Run an input in a child.
    RunForked(&'i [u8]),
    /// Run an input in the server itself.
    RunInline(&'i [u8]),
}

/// How a server has executed a request.
#[derive(Debug, PartialEq, Eq)]
enum ServerReply {
    /// The input has run, and the server is ready for the next.
    Ran(Exit),
    /// The input has run, and processes that it started still run: the server has to be ended.
    LeftProcesses(Exit),
    /// The server has ended.
    Ended(Exit),
    /// The time limit was reached.
    Late,
    /// The input has not run, because fork failed with this errno. The server is ready for the
    /// next.
    NotStarted(i32),
}

/// How the start of a server went.
enum Start {
    Ready(ForkServer),
    /// It follows the protocol of an earlier version.
    Earlier,
    /// It ended, sent something else, or sent nothing in time.
    NotServing,
}

/// A server that is waiting for requests.
struct ForkServer {
    requests: File,
    answers: File,
}

impl ForkServer {
    fn start(
        supervisor: &mut Supervisor,
        command: Vec<OsString>,
        environment: Environment,
        limits: &Limits,
        interrupted: &AtomicBool,
    ) -> Result<Start, ExecError> {
        let (their_requests, requests) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from)?;
        let (answers, their_answers) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from)?;
        // Time is limited for each input, not for the server.
        let (wall, cpu) = (None, None);
        let (grace, memory_bytes) = (limits.grace, limits.memory_bytes);
        let request = Request { command, environment, wall, grace, cpu, memory_bytes };
        supervisor.spawn(&request, their_requests.as_fd(), Some(their_answers.as_fd()))?;
        drop((their_requests, their_answers));
        let mut server = ForkServer { requests: requests.into(), answers: answers.into() };
        let greeting = match server.wait(supervisor, limits.wall, interrupted) {
            Ok(Event::Answer) => server.read_number(&mut Answer::default()).ok().flatten(),
            Ok(Event::Late) => None,
            Ok(Event::Ended(_)) => return Ok(Start::NotServing),
            Err(error) => return Err(about(&request.command, error)),
        };
        if greeting == Some(READY) {
            return Ok(Start::Ready(server));
        }
        supervisor.kill(interrupted)?;
        let is_earlier = greeting.is_some_and(|greeting| READY_BEFORE.contains(&greeting));
        Ok(if is_earlier { Start::Earlier } else { Start::NotServing })
    }

    /// Sends a request and waits until it is executed.
    fn execute(
        &mut self,
        request: ServerRequest<'_>,
        supervisor: &mut Supervisor,
        time: Duration,
        interrupted: &AtomicBool,
    ) -> Result<ServerReply, ExecError> {
        // If the server has ended, `wait` reports how; a broken pipe says less.
        let _ = self.send(request);
        let forks = !matches!(request, ServerRequest::RunInline(_));
        match self.wait(supervisor, time, interrupted)? {
            Event::Answer => {}
            Event::Ended(exit) => return server_ended(exit, forks),
            Event::Late => return Ok(ServerReply::Late),
        }
        let mut answer = Answer::default();
        // A child's process id, or why there is none.
        if forks {
            match self.read_number(&mut answer)? {
                Some(error) if error < 0 => {
                    return Ok(ServerReply::NotStarted(error.saturating_neg()));
                }
                Some(_) => {}
                None => return closed(supervisor, time, interrupted, forks),
            }
        }
        let Some(number) = self.read_number(&mut answer)? else {
            return closed(supervisor, time, interrupted, forks);
        };
        let exit = match request {
            ServerRequest::RunInline(_) if number == 0 => Exit::Success,
            ServerRequest::RunInline(_) => Exit::Failure(number),
            _ => match exit(ExitStatus::from_raw(number)) {
                // The library returned -1, of which an exit code has eight bits.
                Exit::Failure(0xff) if matches!(request, ServerRequest::RunForked(_)) => {
                    Exit::Failure(-1)
                }
                exit => exit,
            },
        };
        // A thread of the library may end the server after the input has run.
        match self.read_number(&mut answer)? {
            Some(0) => Ok(ServerReply::Ran(exit)),
            Some(_) => Ok(ServerReply::LeftProcesses(exit)),
            None => closed(supervisor, time, interrupted, forks),
        }
    }

    fn send(&mut self, request: ServerRequest<'_>) -> io::Result<()> {
        let (kind, bytes): (&[u8], &[u8]) = match request {
            ServerRequest::Run(path) => (b"", path.as_os_str().as_bytes()),
            ServerRequest::RunForked(input) => (b"f", input),
            ServerRequest::RunInline(input) => (b"i", input),
        };
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?.to_ne_bytes();
        self.requests.write_all(&[kind, &length, bytes].concat())
    }

    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    fn wait(
        &self,
        supervisor: &mut Supervisor,
        time: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Event, ExecError> {
        supervisor.next(Some(self.answers.as_fd()), Some(Instant::now() + time), interrupted)
    }

    /// The next number of an answer; none if the server has ended.
    fn read_number(&mut self, answer: &mut Answer) -> io::Result<Option<i32>> {
        while answer.end - answer.start < size_of::<i32>() {
            match self.answers.read(&mut answer.bytes[answer.end..]) {
                Ok(0) => return Ok(None),
                Ok(count) => answer.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let (number, _) =
            answer.bytes[answer.start..].split_first_chunk().unwrap_or((&[0; 4], &[]));
        answer.start += size_of::<i32>();
        Ok(Some(i32::from_ne_bytes(*number)))
    }
}

/// The numbers of one answer, most of which arrive together.
#[derive(Default)]
struct Answer {
    bytes: [u8; 3 * size_of::<i32>()],
    /// What has been read from the server and not been used.
    start: usize,
    end: usize,
}

/// How the server ended, which has closed its end of the connection.
#[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
fn closed(
    supervisor: &mut Supervisor,
    time: Duration,
    interrupted: &AtomicBool,
    forks: bool,
) -> Result<ServerReply, ExecError> {
    match supervisor.next(None, Some(Instant::now() + time), interrupted)? {
        Event::Ended(exit) => server_ended(exit, forks),
        Event::Answer | Event::Late => Ok(ServerReply::Late),
    }
}

/// The reply of a server that has ended during a request. An input may end the process that it runs
/// in; if it runs in a child of the server, the server's exit code says nothing about it.
fn server_ended(exit: Exit, forks: bool) -> Result<ServerReply, ExecError> {
    match exit {
        Exit::Success | Exit::Failure(_) if forks => Err(NotRun::ServerEnded.into()),
        exit => Ok(ServerReply::Ended(exit)),
    }
}
