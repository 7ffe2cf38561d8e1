//! The supervisor, as metacov sees it.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use metacov_core::Exit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::message::{Reply, Request};
use crate::output::Output;

/// How often an interrupt is looked for.
const SLICE: Duration = Duration::from_millis(100);

/// A process that runs targets, one after the other.
pub(crate) struct Supervisor {
    process: Child,
    control: Option<UnixStream>,
    /// What the target has said so far, and what it says next.
    pub(crate) output: Output,
    said: Option<File>,
}

/// What happens next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The target has ended, with all that came from it.
    Ended(Exit),
    /// There is something to be read from the target.
    Answer,
    /// It is too late.
    Late,
}

/// How an execution went.
pub(crate) struct Ended {
    pub(crate) exit: Exit,
    pub(crate) output: String,
}

impl Supervisor {
    /// This program, started again as a supervisor. It has a process group of its own: an
    /// interrupt from the terminal is for metacov, which tells it what to do. The folder goes when
    /// it does.
    pub(crate) fn start(folder: &Path) -> io::Result<Self> {
        let (here, there) = UnixStream::pair()?;
        let mut command = Command::new("/proc/self/exe");
        command.arg("supervise").arg(folder).stdin(OwnedFd::from(there)).stdout(Stdio::null());
        let process = command.process_group(0).spawn()?;
        Ok(Supervisor { process, control: Some(here), output: Output::default(), said: None })
    }

    /// Starts a process. Its standard output is what it says, unless it is given another.
    pub(crate) fn spawn(
        &mut self,
        request: &Request,
        stdin: BorrowedFd<'_>,
        stdout: Option<BorrowedFd<'_>>,
    ) -> io::Result<()> {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        // Only our end is read without waiting; the target may be surprised by a full pipe.
        rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::empty())?;
        let (stdout, stderr) = (stdout.unwrap_or(writer.as_fd()), writer.as_fd());
        request.send(self.control()?.as_fd(), [stdin, stdout, stderr])?;
        self.output = Output::default();
        self.said = Some(File::from(reader));
        Ok(())
    }

    /// Runs a process to its end.
    pub(crate) fn run(
        &mut self,
        request: &Request,
        stdin: &File,
        interrupted: &AtomicBool,
    ) -> io::Result<Ended> {
        self.spawn(request, stdin.as_fd(), None)?;
        loop {
            match self.next(None, None, interrupted) {
                Ok(Event::Ended(exit)) => {
                    return Ok(Ended { exit, output: self.output.text() });
                }
                Ok(_) => {}
                Err(error) => return Err(about(&request.command, &error)),
            }
        }
    }

    /// Waits for what comes next, and takes what the target says in the meantime. After an error,
    /// an interrupt among them, nobody knows what the supervisor is at: it should be dropped.
    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    pub(crate) fn next(
        &mut self,
        mut answers: Option<BorrowedFd<'_>>,
        end: Option<Instant>,
        interrupted: &AtomicBool,
    ) -> io::Result<Event> {
        loop {
            if interrupted.load(Ordering::Relaxed) {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "interrupted"));
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(Event::Late);
            }
            let slice = left.map_or(SLICE, |left| left.min(SLICE));
            let slice = Timespec::try_from(slice).map_err(io::Error::other)?;
            let control = self.control()?;
            let mut ends = vec![PollFd::new(control, PollFlags::IN)];
            ends.extend(answers.as_ref().map(|answers| PollFd::new(answers, PollFlags::IN)));
            ends.extend(self.said.as_ref().map(|said| PollFd::new(said, PollFlags::IN)));
            match poll(&mut ends, Some(&slice)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let ready =
                |at: usize| ends.get(at).is_some_and(|end| end.revents().contains(PollFlags::IN));
            let has_ended = !ends[0].revents().is_empty();
            let has_answer = answers.is_some() && ready(1);
            let has_said = ends[1 + usize::from(answers.is_some())..]
                .iter()
                .any(|end| !end.revents().is_empty());
            // A target that has closed its end will not answer any more.
            let is_mute = answers.is_some() && !has_answer && !ends[1].revents().is_empty();
            if has_said || has_ended {
                self.listen()?;
            }
            if is_mute {
                answers = None;
            }
            // What it answered before it ended comes first.
            if has_answer {
                return Ok(Event::Answer);
            }
            if has_ended {
                return match Reply::receive(self.control()?.as_fd())? {
                    Reply::Ended(exit) => Ok(Event::Ended(exit)),
                    Reply::NotStarted(error) => Err(io::Error::from_raw_os_error(error)),
                };
            }
        }
    }

    /// Ends the target, and waits until it has ended.
    pub(crate) fn kill(&mut self, interrupted: &AtomicBool) -> io::Result<()> {
        rustix::io::write(self.control()?, b"k")?;
        while !matches!(self.next(None, None, interrupted)?, Event::Ended(_)) {}
        Ok(())
    }

    fn listen(&mut self) -> io::Result<()> {
        if let Some(said) = &mut self.said
            && !self.output.drain(said)?
        {
            self.said = None;
        }
        Ok(())
    }

    fn control(&self) -> io::Result<&UnixStream> {
        self.control.as_ref().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

/// An error that names the program, if the error is about it.
pub(crate) fn about(command: &[std::ffi::OsString], error: &io::Error) -> io::Error {
    let program = command.first().map(|name| Path::new(name).display());
    let what = program.map_or(error.to_string(), |name| format!("{name}: {error}"));
    io::Error::new(error.kind(), what)
}

/// When nobody needs it any more, it ends, with all that it runs.
impl Drop for Supervisor {
    fn drop(&mut self) {
        self.control = None;
        let _ = self.process.wait();
    }
}
