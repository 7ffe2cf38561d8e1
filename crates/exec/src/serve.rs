//! Executions in a process that goes on from input to input.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use metacov_core::Exit;
use metacov_runtime::{INPUT_VARIABLE, LIMITS_VARIABLE, SERVE_VARIABLE};

use crate::invocation::{Environment, Invocation};
use crate::session::{ForkServer, Outcome, ServerRequest, Start};
use crate::supervisor::Ended;
use crate::target::{Limits, Mode, Program, whole_seconds};
use crate::worker::Worker;

impl Worker {
    /// Runs a target once, in the process that is there or in a new one.
    pub(crate) fn serve(&mut self, target: &Program, invocation: &Invocation) -> io::Result<Ended> {
        let Some(input) = invocation.only_input() else {
            let what = "a library gets an input, and no arguments, environment or standard input";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        };
        let known = self.session.take();
        let is_first = known.is_none() && target.mode == Mode::Inline;
        let mut session = known.map_or_else(|| self.start_session(target), Ok)?;
        let outcome = if is_first {
            self.ask_first(&mut session, target, input)?
        } else {
            self.ask(&mut session, target, input)?
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

    /// Has an input run, after the setup if that does not run only once.
    fn ask(
        &mut self,
        session: &mut ForkServer,
        target: &Program,
        input: &Path,
    ) -> io::Result<Outcome> {
        let mut ask = |question: ServerRequest<'_>| {
            session.ask(question, &mut self.supervisor, target.limits.wall, &target.interrupted)
        };
        if target.mode == Mode::Inline {
            let setup = target.setup.as_ref().filter(|setup| !setup.content().is_empty());
            if let Some(setup) = setup {
                let outcome = ask(ServerRequest::RunInline(setup.content()))?;
                if !matches!(outcome, Outcome::Ran(_)) {
                    return Ok(outcome);
                }
            }
            ask(ServerRequest::RunInline(&fs::read(input)?))
        } else if target.is_library() {
            ask(ServerRequest::RunForked(&fs::read(input)?))
        } else {
            let input = self.with_setup(target, input)?;
            // The program opens it in a process of its own, which cannot say what is wrong with it.
            fs::metadata(&input)?;
            let question = ServerRequest::Run(&input);
            session.ask(question, &mut self.supervisor, target.limits.wall, &target.interrupted)
        }
    }

    /// Starts a process that goes on. What it counts before the first input counts for all inputs,
    /// as it would if each had a process of its own.
    fn start_session(&mut self, target: &Program) -> io::Result<ForkServer> {
        if target.mode == Mode::Inline && target.limits.cpu.is_some() {
            let what = "processor time is limited by process, and all inputs share one (use --mode \
                        fork)";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let (command, environment) = self.server(target)?;
        self.arena.keep_nothing()?;
        self.once = None;
        let (limits, interrupted) = (&target.limits, &target.interrupted);
        let supervisor = &mut self.supervisor;
        let start = ForkServer::start(supervisor, command, environment, limits, interrupted)?;
        let Start::Ready(mut session) = start else {
            return Err(self.not_serving(target, &start));
        };
        match (&target.setup, target.mode) {
            (Some(setup), Mode::Fork) if target.is_library() => {
                let (question, wall) = (ServerRequest::RunInline(setup.content()), limits.wall);
                let outcome = session.ask(question, &mut self.supervisor, wall, interrupted)?;
                if !matches!(outcome, Outcome::Ran(_)) {
                    return Err(io::Error::other("the setup does not run to its end"));
                }
                self.arena.keep();
            }
            (_, Mode::Inline) => {
                self.arena.keep();
                if !self.arena.is_isolated() {
                    let what = "its counters share memory with other variables, so they cannot be \
                                reset (link it with `metacov cc` and GNU ld or lld, or use --mode fork)";
                    return Err(io::Error::other(what));
                }
            }
            _ => self.arena.keep(),
        }
        Ok(session)
    }

    /// Has the first input of a library run, twice, to find out what the library does only once: to
    /// set itself up when it is called for the first time.
    fn ask_first(
        &mut self,
        session: &mut ForkServer,
        target: &Program,
        input: &Path,
    ) -> io::Result<Outcome> {
        let mut outcome = self.ask(session, target, input)?;
        if matches!(outcome, Outcome::Ran(_)) {
            self.first = Some(self.arena.counters());
            self.arena.clear()?;
            outcome = self.ask(session, target, input)?;
        }
        Ok(outcome)
    }

    /// The process that serves a target, and its environment.
    fn server(&self, target: &Program) -> io::Result<(Vec<OsString>, Environment)> {
        let mut environment = self.environment();
        let Limits { grace, cpu, .. } = target.limits;
        let limits = format!("{} {}", grace.as_millis(), cpu.map_or(0, whole_seconds));
        environment.push((LIMITS_VARIABLE.into(), limits.into()));
        if target.mode == Mode::Fork {
            environment.push((SERVE_VARIABLE.into(), "1".into()));
        }
        if target.is_library() {
            let own = ["/proc/self/exe".into(), "load".into(), "--".into()];
            return Ok((
                own.into_iter().chain(target.command.iter().cloned()).collect(),
                environment,
            ));
        }
        let stand_in = self.stand_in()?;
        let invocation = Invocation::of(stand_in.clone());
        let (command, stdin) = invocation.command(&target.command);
        if stdin.is_none() {
            environment.push((INPUT_VARIABLE.into(), stand_in.into()));
        }
        Ok((command, environment))
    }

    fn not_serving(&self, target: &Program, start: &Start) -> io::Error {
        let said = self.supervisor.output.text();
        let what = match (start, said.trim()) {
            (Start::Earlier, _) => {
                "it was built with an earlier metacov, and forks by other rules (build it again \
                 with this `metacov cc`, or use --mode exec)"
            }
            (_, "") => "it does not fork for inputs (is it built with `metacov cc`?)",
            (_, said) => said,
        };
        io::Error::other(format!("{}: {what}", target.name()))
    }
}
