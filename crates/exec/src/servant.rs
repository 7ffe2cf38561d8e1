//! A process of ours that does one kind of work, under a supervisor, and how to talk to it.
//!
//! Both ends say messages: a length in 32 bits, and so many bytes.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use metacov_core::Exit;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::message::Request;
use crate::supervisor::{Event, Supervisor};

/// No message is longer.
const MESSAGE_BYTES_MAX: usize = 1 << 30;

/// From here on, descriptors are those of a servant's own.
pub(crate) const OWN_DESCRIPTORS: i32 = 900;

/// A process of ours, as metacov sees it.
pub struct HelperProcess {
    supervisor: Supervisor,
    requests: File,
    answers: File,
}

/// What a servant has to say.
pub enum HelperEvent {
    /// A message.
    Message(Vec<u8>),
    /// Nothing any more: it has ended, and has said this last.
    Ended(Exit, String),
    /// Nothing for too long: it was made to end.
    Late,
}

impl HelperProcess {
    /// This program, started again with these words; with so much memory.
    pub fn start(words: Vec<OsString>, memory_bytes: Option<u64>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("metacov-").tempdir()?;
        let mut supervisor = Supervisor::start(folder.path())?;
        // What it puts into temporary files is its own: names that are made up from the same seed
        // must not meet.
        let environment = vec![("TMPDIR".into(), folder.keep().into())];
        let (their_requests, requests) = pipe_with(PipeFlags::CLOEXEC)?;
        let (answers, their_answers) = pipe_with(PipeFlags::CLOEXEC)?;
        let command = std::iter::once("/proc/self/exe".into()).chain(words).collect();
        let grace = Duration::ZERO;
        let request = Request { command, environment, wall: None, grace, cpu: None, memory_bytes };
        supervisor.spawn(&request, their_requests.as_fd(), Some(their_answers.as_fd()))?;
        Ok(HelperProcess { supervisor, requests: requests.into(), answers: answers.into() })
    }

    /// Says something. If it is gone, its end will tell.
    pub fn say(&mut self, message: &[u8]) {
        let _ = say(&mut self.requests, message);
    }

    /// What it says next, within this time.
    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    pub fn hear(&mut self, time: Duration, interrupted: &AtomicBool) -> io::Result<HelperEvent> {
        let end = Some(Instant::now() + time);
        match self.supervisor.next(Some(self.answers.as_fd()), end, interrupted)? {
            Event::Answer => match hear(&mut self.answers)? {
                Some(message) => Ok(HelperEvent::Message(message)),
                None => self.ended(interrupted),
            },
            Event::Ended(exit) => Ok(HelperEvent::Ended(exit, self.supervisor.output.text())),
            Event::Late => {
                self.supervisor.kill(interrupted)?;
                Ok(HelperEvent::Late)
            }
        }
    }

    fn ended(&mut self, interrupted: &AtomicBool) -> io::Result<HelperEvent> {
        loop {
            if let Event::Ended(exit) = self.supervisor.next(None, None, interrupted)? {
                return Ok(HelperEvent::Ended(exit, self.supervisor.output.text()));
            }
        }
    }
}

/// A servant's own end: what it is asked, and where it answers. From here on its standard input is
/// empty and its standard output what is kept of its last words, so that whatever it loads cannot
/// get between.
pub struct HelperPort {
    requests: File,
    answers: File,
}

impl HelperPort {
    /// Of this process. To be called first of all.
    pub fn of_this_process() -> io::Result<Self> {
        let requests = File::from(fcntl_dupfd_cloexec(io::stdin(), OWN_DESCRIPTORS)?);
        let answers = File::from(fcntl_dupfd_cloexec(io::stdout(), OWN_DESCRIPTORS)?);
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(HelperPort { requests, answers })
    }

    /// Waits until there is a request, and leaves it there; whether there will be one.
    pub fn is_asked(&self) -> io::Result<bool> {
        let mut ends = [PollFd::new(&self.requests, PollFlags::IN)];
        loop {
            match poll(&mut ends, None) {
                Ok(_) => return Ok(ends[0].revents().contains(PollFlags::IN)),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The next request; none if nobody asks any more.
    pub fn hear(&mut self) -> io::Result<Option<Vec<u8>>> {
        hear(&mut self.requests)
    }

    /// Answers.
    pub fn say(&mut self, message: &[u8]) -> io::Result<()> {
        say(&mut self.answers, message)
    }
}

fn say(to: &mut File, message: &[u8]) -> io::Result<()> {
    let length = u32::try_from(message.len()).map_err(io::Error::other)?;
    to.write_all(&[&length.to_ne_bytes(), message].concat())
}

fn hear(from: &mut File) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_ne_bytes(length) as usize;
    if length > MESSAGE_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message that is too long"));
    }
    let mut message = vec![0; length];
    from.read_exact(&mut message)?;
    Ok(Some(message))
}
