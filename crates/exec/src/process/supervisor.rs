//! The supervisor, as seen by metacov: started, given requests, and waited for.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use metacov_core::Exit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, kill_process};

use super::captured_output::CapturedOutput;
use super::not_run::{NotRun, not_started};
use super::wire::{Reply, Request};
use crate::error::ExecError;

/// Variables and their values.
type Environment = Vec<(OsString, OsString)>;

/// How often an interrupt is checked for.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A process that runs targets, one after the other.
pub(crate) struct Supervisor {
    process: Child,
    control: Option<UnixStream>,
    folder: PathBuf,
    /// The variables of the last request, by which its processes are known.
    environment: Environment,
    /// The target's output so far.
    pub(crate) output: CapturedOutput,
    /// The pipe that the target's output comes through, while it runs.
    output_pipe: Option<OutputPipe>,
}

/// A pipe from the target. Its write end is open here too: that the target has closed it is not an
/// event.
struct OutputPipe {
    reader: File,
    _writer: OwnedFd,
}

/// An event of a running target.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The target has ended, with all its descendants.
    Ended(Exit),
    /// The target has answered: its answer is ready to be read.
    Answer,
    /// The time limit was reached.
    Late,
}

/// An execution that has ended.
pub(crate) struct Ended {
    pub(crate) exit: Exit,
    pub(crate) output: String,
}

impl Supervisor {
    /// Starts this program as a supervisor. It has a separate process group: interrupts from the
    /// terminal go to metacov alone, which ends the supervisor. The supervisor removes the folder
    /// when it ends.
    pub(crate) fn start(folder: &Path) -> io::Result<Self> {
        let (here, there) = UnixStream::pair()?;
        let mut command = Command::new("/proc/self/exe");
        command.arg("supervise").arg(folder).stdin(OwnedFd::from(there)).stdout(Stdio::null());
        let process = command.process_group(0).spawn()?;
        Ok(Supervisor {
            process,
            control: Some(here),
            folder: folder.to_owned(),
            environment: Environment::new(),
            output: CapturedOutput::default(),
            output_pipe: None,
        })
    }

    /// Starts a process. Its standard error is captured, and its standard output too unless it is
    /// given another. If something has killed the supervisor, another one takes its place.
    pub(crate) fn spawn(
        &mut self,
        request: &Request,
        stdin: BorrowedFd<'_>,
        stdout: Option<BorrowedFd<'_>>,
    ) -> Result<(), ExecError> {
        if self.process.try_wait()?.is_some() {
            *self = Supervisor::start(&self.folder)?;
        }
        let (reader, writer) =
            pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).map_err(io::Error::from)?;
        // Only our end is non-blocking: few targets expect a write to fail on a full pipe.
        rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::empty()).map_err(io::Error::from)?;
        let (stdout, stderr) = (stdout.unwrap_or(writer.as_fd()), writer.as_fd());
        self.environment.clone_from(&request.environment);
        match request.send(self.control()?.as_fd(), [stdin, stdout, stderr]) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Err(self.lost()),
            other => other?,
        }
        self.output = CapturedOutput::default();
        self.output_pipe = Some(OutputPipe { reader: File::from(reader), _writer: writer });
        Ok(())
    }

    /// The id of its process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Runs a process to its end.
    pub(crate) fn run(
        &mut self,
        request: &Request,
        stdin: &File,
        stdout: Option<BorrowedFd<'_>>,
        interrupted: &AtomicBool,
    ) -> Result<Ended, ExecError> {
        self.spawn(request, stdin.as_fd(), stdout)?;
        loop {
            match self.next(None, None, interrupted) {
                Ok(Event::Ended(exit)) => {
                    return Ok(Ended { exit, output: self.output.text() });
                }
                Ok(_) => {}
                Err(error) => return Err(about(&request.command, error)),
            }
        }
    }

    /// Waits for the next event, and captures output meanwhile. After an error, an interrupt
    /// included, the state of the supervisor is unknown: drop it.
    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    pub(crate) fn next(
        &mut self,
        mut answers: Option<BorrowedFd<'_>>,
        end: Option<Instant>,
        interrupted: &AtomicBool,
    ) -> Result<Event, ExecError> {
        loop {
            if interrupted.load(Ordering::Relaxed) {
                return Err(ExecError::Interrupted);
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(Event::Late);
            }
            let wait = left.map_or(POLL_INTERVAL, |left| left.min(POLL_INTERVAL));
            let wait = Timespec::try_from(wait).map_err(io::Error::other)?;
            let control = self.control()?;
            let mut ends = vec![PollFd::new(control, PollFlags::IN)];
            ends.extend(answers.as_ref().map(|answers| PollFd::new(answers, PollFlags::IN)));
            let pipe = self.output_pipe.as_ref();
            ends.extend(pipe.map(|pipe| PollFd::new(&pipe.reader, PollFlags::IN)));
            match poll(&mut ends, Some(&wait)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
            let ready =
                |at: usize| ends.get(at).is_some_and(|end| end.revents().contains(PollFlags::IN));
            let has_ended = !ends[0].revents().is_empty();
            let has_answer = answers.is_some() && ready(1);
            let has_output = ends[1 + usize::from(answers.is_some())..]
                .iter()
                .any(|end| !end.revents().is_empty());
            // A target that has closed its end cannot answer any more.
            let is_closed = answers.is_some() && !has_answer && !ends[1].revents().is_empty();
            if has_output || has_ended {
                self.capture_output()?;
            }
            if is_closed {
                answers = None;
            }
            // An answer from before its end comes first.
            if has_answer {
                return Ok(Event::Answer);
            }
            if has_ended {
                self.output_pipe = None;
                return match Reply::receive(self.control()?.as_fd()) {
                    Ok(Reply::Ended(exit)) => Ok(Event::Ended(exit)),
                    Ok(Reply::NotStarted(error)) => Err(not_started(error)),
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(self.lost()),
                    Err(error) => Err(error.into()),
                };
            }
        }
    }

    /// Ends the target, and waits until it has ended.
    pub(crate) fn kill(&mut self, interrupted: &AtomicBool) -> Result<(), ExecError> {
        match rustix::io::write(self.control()?, b"k") {
            Err(Errno::PIPE) => return Err(self.lost()),
            other => other.map_err(io::Error::from)?,
        };
        while !matches!(self.next(None, None, interrupted)?, Event::Ended(_)) {}
        Ok(())
    }

    /// The supervisor has ended before metacov: ends the processes that it left. Processes that
    /// have replaced their environment are not found.
    fn lost(&mut self) -> ExecError {
        let _ = self.process.kill();
        let _ = self.process.wait();
        self.output_pipe = None;
        end_processes_with(&self.environment);
        ExecError::NotRun(NotRun::SupervisorLost)
    }

    fn capture_output(&mut self) -> io::Result<()> {
        if let Some(pipe) = &mut self.output_pipe {
            self.output.drain(&mut pipe.reader)?;
        }
        Ok(())
    }

    fn control(&self) -> io::Result<&UnixStream> {
        self.control.as_ref().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

/// The error with the name of the program in front.
pub(crate) fn about(command: &[OsString], error: ExecError) -> ExecError {
    let (ExecError::System(error), Some(name)) = (&error, command.first()) else { return error };
    let what = format!("{}: {error}", Path::new(name).display());
    ExecError::System(io::Error::new(error.kind(), what))
}

/// Ends all processes that were started with these variables, until there are none: a process may
/// start another during the search.
fn end_processes_with(environment: &Environment) {
    let entry =
        |(name, value): &(OsString, OsString)| [name.as_bytes(), b"=", value.as_bytes()].concat();
    let wanted: Vec<Vec<u8>> = environment.iter().map(entry).collect();
    let is_wanted = |folder: &Path| {
        let found = std::fs::read(folder.join("environ")).unwrap_or_default();
        let has = |entry: &Vec<u8>| found.split(|byte| *byte == 0).any(|found| found == entry);
        !wanted.is_empty() && wanted.iter().all(has)
    };
    for _ in 0..100 {
        let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = all.filter(|entry| is_wanted(&entry.path())).map(|entry| entry.file_name());
        let ids: Vec<Pid> =
            ids.filter_map(|id| Pid::from_raw(id.to_str()?.parse().ok()?)).collect();
        if ids.is_empty() {
            return;
        }
        for id in ids {
            let _ = kill_process(id, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Ends the supervisor, and with it all processes that it runs.
impl Drop for Supervisor {
    fn drop(&mut self) {
        self.control = None;
        let _ = self.process.wait();
    }
}
