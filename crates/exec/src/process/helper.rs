//! A helper process: this program, started again for one kind of work, under a supervisor.
//!
//! Both ends exchange messages: a length in 32 bits, followed by that number of bytes.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use metacov_core::Exit;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, MemfdFlags, fstat, memfd_create};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::getppid;

use super::cpu_time::waiting_time;
use super::not_run::NotRun;
use super::supervisor::{Event, Supervisor};
use super::wire::Request;
use crate::error::ExecError;

/// The longest message.
const MESSAGE_BYTES_MAX: usize = 1 << 30;

/// The variable with the settings of glibc's allocator.
pub const ALLOCATOR_VARIABLE: &str = "GLIBC_TUNABLES";

/// Memory in large pages, if the system has them: a fork copies a table of all pages.
pub const LARGE_PAGES: &str = "glibc.malloc.hugetlb=1";

/// The lowest descriptor that a helper opens for itself, high enough not to collide with loaded
/// code.
pub(crate) const OWN_DESCRIPTORS: i32 = 900;

/// After this part of the time limit, `hear` looks how long the helper has waited for a processor.
const LOOK_PART: u32 = 10;

/// After this many times the time limit, a helper is late even if it has waited for a processor: its own processes
/// may be what it waits for.
const WAITING_MAX: u32 = 10;

/// The signal that ends a helper with its supervisor.
const KILL: i32 = rustix::process::Signal::KILL.as_raw();

/// A helper process, as seen by metacov.
pub struct HelperProcess {
    supervisor: Supervisor,
    requests: File,
    answers: File,
}

/// Refuses to go on unless this process was started by metacov: by a process of the same program,
/// with a connection to it as standard input. Helpers trust their arguments, such as a folder to
/// remove.
pub fn require_metacov() -> io::Result<()> {
    let identity = |path: &str| std::fs::metadata(path).map(|file| (file.dev(), file.ino()));
    let parent =
        getppid().map(|parent| identity(&format!("/proc/{}/exe", parent.as_raw_nonzero())));
    let is_ours = matches!((parent, identity("/proc/self/exe")), (Some(Ok(a)), Ok(b)) if a == b);
    let connection = FileType::from_raw_mode(fstat(io::stdin())?.st_mode);
    if is_ours && matches!(connection, FileType::Socket | FileType::Fifo) {
        return Ok(());
    }
    let what = "only metacov itself starts this command, for its own processes";
    Err(io::Error::new(io::ErrorKind::PermissionDenied, what))
}

/// What a helper process did next.
pub enum HelperEvent {
    /// It sent a message.
    Message(Vec<u8>),
    /// It ended, with this output.
    Ended(Exit, String),
    /// It sent nothing within the time limit, and was killed.
    Late,
}

impl HelperProcess {
    /// Starts this program with these arguments, these variables of the environment and, if given, a limit on its memory.
    pub fn start(
        arguments: Vec<OsString>,
        mut environment: Vec<(OsString, OsString)>,
        memory_bytes: Option<u64>,
    ) -> Result<Self, ExecError> {
        let folder = tempfile::Builder::new().prefix("metacov-").tempdir()?;
        let mut supervisor = Supervisor::start(folder.path())?;
        // A private folder for temporary files: helpers with the same seed use the same file names.
        environment.push(("TMPDIR".into(), folder.keep().into()));
        let (their_requests, requests) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from)?;
        let (answers, their_answers) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from)?;
        let command = std::iter::once("/proc/self/exe".into()).chain(arguments).collect();
        let grace = Duration::ZERO;
        let request = Request { command, environment, wall: None, grace, cpu: None, memory_bytes };
        supervisor.spawn(&request, their_requests.as_fd(), Some(their_answers.as_fd()))?;
        Ok(HelperProcess { supervisor, requests: requests.into(), answers: answers.into() })
    }

    /// Sends a message. Errors are ignored: `hear` reports that the process has ended.
    pub fn say(&mut self, message: &[u8]) {
        let _ = say(&mut self.requests, message);
    }

    /// Waits for the next message, up to a time limit. The time that the process waits for a processor does
    /// not count, so that other work on the machine makes nothing late.
    pub fn hear(
        &mut self,
        time: Duration,
        interrupted: &AtomicBool,
    ) -> Result<HelperEvent, ExecError> {
        match self.next(time, interrupted) {
            Err(ExecError::NotRun(reason @ NotRun::SupervisorLost)) => {
                Ok(HelperEvent::Ended(Exit::Signalled(KILL), reason.to_string()))
            }
            other => other,
        }
    }

    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    fn next(&mut self, time: Duration, interrupted: &AtomicBool) -> Result<HelperEvent, ExecError> {
        let start = Instant::now();
        // Most answers come before it has to be known how long the process has waited.
        let (mut end, mut waited_before) = (start + time / LOOK_PART, None);
        loop {
            match self.supervisor.next(Some(self.answers.as_fd()), Some(end), interrupted)? {
                Event::Answer => match hear(&mut self.answers)? {
                    Some(message) => return Ok(HelperEvent::Message(message)),
                    None => return self.ended(interrupted),
                },
                Event::Ended(exit) => {
                    return Ok(HelperEvent::Ended(exit, self.supervisor.output.text()));
                }
                Event::Late => {
                    let waited = waiting_time(self.supervisor.id());
                    let before = *waited_before.get_or_insert(waited);
                    let waited = waited.saturating_sub(before).min(time * WAITING_MAX);
                    let late_at = start + time + waited;
                    if late_at <= Instant::now() {
                        self.supervisor.kill(interrupted)?;
                        return Ok(HelperEvent::Late);
                    }
                    end = late_at;
                }
            }
        }
    }

    fn ended(&mut self, interrupted: &AtomicBool) -> Result<HelperEvent, ExecError> {
        loop {
            if let Event::Ended(exit) = self.supervisor.next(None, None, interrupted)? {
                return Ok(HelperEvent::Ended(exit, self.supervisor.output.text()));
            }
        }
    }
}

/// The helper's end of the connection. Its standard input is empty from here on, and its standard
/// output is captured with its standard error, so that code that it loads cannot interfere.
pub struct HelperPort {
    requests: File,
    answers: File,
}

impl HelperPort {
    /// The port of this process. Call it before anything else uses standard input or output.
    pub fn of_this_process() -> io::Result<Self> {
        let requests = File::from(fcntl_dupfd_cloexec(io::stdin(), OWN_DESCRIPTORS)?);
        let answers = File::from(fcntl_dupfd_cloexec(io::stdout(), OWN_DESCRIPTORS)?);
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(HelperPort { requests, answers })
    }

    /// Waits for a request without reading it. Returns false if metacov has closed the connection.
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

    /// Reads the next request; none if metacov has closed the connection.
    pub fn hear(&mut self) -> io::Result<Option<Vec<u8>>> {
        hear(&mut self.requests)
    }

    /// Sends an answer.
    pub fn say(&mut self, message: &[u8]) -> io::Result<()> {
        say(&mut self.answers, message)
    }
}

/// A file in memory, where a child of a helper leaves what later children read. Its descriptor is out of the way of
/// loaded code.
pub fn shared_file() -> io::Result<File> {
    let file = memfd_create("metacov", MemfdFlags::CLOEXEC)?;
    Ok(File::from(fcntl_dupfd_cloexec(file, OWN_DESCRIPTORS)?))
}

fn say(to: &mut File, message: &[u8]) -> io::Result<()> {
    /// Messages up to this size are sent with a single system call; larger ones are not copied for that.
    const COPIED_BYTES_MAX: usize = 1 << 16;
    let length = u32::try_from(message.len()).map_err(io::Error::other)?.to_ne_bytes();
    if message.len() <= COPIED_BYTES_MAX {
        return to.write_all(&[&length, message].concat());
    }
    to.write_all(&length)?;
    to.write_all(message)
}

fn hear(from: &mut File) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_ne_bytes(length) as usize;
    if length > MESSAGE_BYTES_MAX {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "message between metacov and helper process too long",
        ));
    }
    let mut message = vec![0; length];
    from.read_exact(&mut message)?;
    Ok(Some(message))
}
