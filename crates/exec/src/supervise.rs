//! The supervisor: a process between metacov and a target, which sees to it that nothing of the
//! target outlives its execution.
//!
//! A target may fork, leave its process group and become a daemon; the system then makes its
//! descendants children of the nearest process that has said it will take them, and that is the
//! supervisor. So when the target has ended, whatever children the supervisor has left are the
//! target's, and it ends them. It does the same when metacov itself is gone, however that ended:
//! that is why it is a process of its own.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use metacov_core::Exit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions, getpgid, getpid, getrlimit,
    kill_process, kill_process_group, pidfd_open, prlimit, set_child_subreaper, setrlimit, waitid,
};

use crate::message::{Reply, Request};
use crate::target::whole_seconds;

/// The largest file that a target may write: a runaway log should not fill the disk.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// Takes requests from standard input, a socket, until there is nobody left to ask. Then the
/// executions' folder goes too: metacov may have been killed, and cannot see to it.
pub fn supervise(folder: &Path) -> io::Result<()> {
    let served = serve();
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => served.and(Err(error)),
        _ => served,
    }
}

fn serve() -> io::Result<()> {
    let control = io::stdin().as_fd().try_clone_to_owned()?;
    set_child_subreaper(Some(getpid()))?;
    for (resource, most) in [(Resource::Core, 0), (Resource::Fsize, FILE_BYTES_MAX)] {
        // A limit that is lower already stays as it is.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
    while let Some((request, stdio)) = Request::receive(control.as_fd())? {
        let Some(reply) = execute(&request, stdio, control.as_fd())? else { return Ok(()) };
        reply.send(control.as_fd())?;
    }
    Ok(())
}

/// Runs a process to its end, or to ours: at its limit it is asked to end (TERM) and then made to
/// (KILL). None if metacov is gone.
fn execute(
    request: &Request,
    [stdin, stdout, stderr]: [OwnedFd; 3],
    control: BorrowedFd<'_>,
) -> io::Result<Option<Reply>> {
    let Some((program, arguments)) = request.command.split_first() else {
        return Ok(Some(Reply::NotStarted(Errno::INVAL.raw_os_error())));
    };
    let mut command = Command::new(program);
    command.args(arguments).envs(request.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(stdin).stdout(stdout).stderr(stderr).process_group(0);
    let child = match spawn(&mut command, request.memory_bytes) {
        Ok(child) => child,
        Err(error) => {
            let number = error.raw_os_error().unwrap_or(Errno::IO.raw_os_error());
            return Ok(Some(Reply::NotStarted(number)));
        }
    };
    // Its descriptors are its own now: who reads what it writes waits for the last of them.
    drop(command);
    let mut family = Family(child);
    family.limit(request);
    let pidfd = pidfd_open(family.pid(), PidfdFlags::empty())?;
    let mut end = wait(&pidfd, control, request.wall)?;
    if matches!(end, End::Late) {
        family.signal(Signal::TERM);
        end = match wait(&pidfd, control, Some(request.grace))? {
            End::Itself => End::Late,
            other => other,
        };
    }
    // What a target leaves behind may go on for a while, to end by itself.
    let status = family.end(matches!(end, End::Itself).then_some(request.grace))?;
    Ok(match end {
        End::Itself => Some(Reply::Ended(exit(status))),
        End::Late => Some(Reply::Ended(Exit::Timeout)),
        End::Told => Some(Reply::Ended(Exit::Signalled(Signal::KILL.as_raw()))),
        End::Orphaned => None,
    })
}

/// Starts a process that has its limit on memory from the beginning: it gets ours.
fn spawn(command: &mut Command, memory_bytes: Option<u64>) -> io::Result<Child> {
    let own = getrlimit(Resource::Data);
    if memory_bytes.is_some() {
        // A limit that is lower already stays as it is.
        let _ = setrlimit(Resource::Data, Rlimit { current: memory_bytes, ..own });
    }
    let child = command.spawn();
    setrlimit(Resource::Data, own)?;
    child
}

/// What comes first.
enum End {
    /// It has ended.
    Itself,
    /// It took too long.
    Late,
    /// Metacov wants it to end.
    Told,
    /// Metacov is gone.
    Orphaned,
}

#[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
fn wait(pidfd: &OwnedFd, control: BorrowedFd<'_>, time: Option<Duration>) -> io::Result<End> {
    let end = time.map(|time| Instant::now() + time);
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Ok(End::Late);
        }
        let left = left.map(Timespec::try_from).transpose().map_err(io::Error::other)?;
        let mut both = [PollFd::new(pidfd, PollFlags::IN), PollFd::new(&control, PollFlags::IN)];
        match poll(&mut both, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !both[1].revents().is_empty() {
            let mut word = [0];
            return Ok(match rustix::io::read(control, &mut word) {
                Ok(1) => End::Told,
                _ => End::Orphaned,
            });
        }
        if !both[0].revents().is_empty() {
            return Ok(End::Itself);
        }
    }
}

/// How a process ended, as the system tells it.
pub(crate) fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(0), _) => Exit::Success,
        (Some(code), _) => Exit::Failure(code),
        (None, Some(signal)) if signal == Signal::XCPU.as_raw() => Exit::Timeout,
        (None, signal) => Exit::Signalled(signal.unwrap_or(0)),
    }
}

/// A child and all that comes from it.
struct Family(Child);

impl Family {
    fn limit(&self, request: &Request) {
        let limit = |resource, soft: Option<u64>, hard: Option<u64>| {
            // It may have ended already; and a limit that is lower already stays as it is.
            let _ = prlimit(Some(self.pid()), resource, Rlimit { current: soft, maximum: hard });
        };
        if let Some(cpu) = request.cpu {
            let seconds = whole_seconds(cpu);
            limit(Resource::Cpu, Some(seconds), Some(seconds + 1));
        }
        if request.memory_bytes.is_some() {
            limit(Resource::Data, request.memory_bytes, request.memory_bytes);
        }
    }

    fn signal(&self, signal: Signal) {
        // All of the group may have ended already.
        let _ = kill_process_group(self.pid(), signal);
    }

    /// Ends all of it, at once or, if the target has ended, after a grace. The group first, while
    /// its number cannot be another's; then what has left the group, generation by generation: when
    /// a process ends, its children become ours.
    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    fn end(&mut self, grace: Option<Duration>) -> io::Result<ExitStatus> {
        if grace.is_none() {
            self.signal(Signal::KILL);
        }
        let status = self.0.wait()?;
        let end = Instant::now() + grace.unwrap_or_default();
        loop {
            match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
                Err(Errno::CHILD) => return Ok(status),
                Ok(None) => {
                    if Instant::now() >= end {
                        for child in children() {
                            self.kill(child);
                        }
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Ends what is left of the target, with all of its group if it is still of that.
    fn kill(&self, child: Pid) {
        if getpgid(Some(child)).is_ok_and(|group| group == self.pid()) {
            self.signal(Signal::KILL);
        } else {
            let _ = kill_process(child, Signal::KILL);
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.0)
    }
}

/// The processes whose parent is this one.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().get();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let child = |name: &str| {
        let pid: i32 = name.parse().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name of the program stands in brackets, and may hold any.
        let parent: i32 = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        (parent == own).then(|| Pid::from_raw(pid))?
    };
    processes.filter_map(|entry| child(entry.file_name().to_str()?)).collect()
}
