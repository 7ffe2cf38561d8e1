//! `metacov supervise`: the process between metacov and a target, which ends every process of the
//! target with its execution.
//!
//! A target may fork, leave its process group and become a daemon. The supervisor is a subreaper:
//! orphaned descendants of the target become its children. When the target has ended, all remaining
//! children of the supervisor come from the target, and it kills them. It does the same when
//! metacov itself has ended, even by SIGKILL, and is a separate process for that reason.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use metacov_core::Exit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, getpgid, getpid, kill_process, kill_process_group,
    set_child_subreaper, setrlimit, wait as wait_for_any, waitpid,
};

use super::cpu_time::time_of;
use super::spawn::{Spawner, Started};
use super::wire::{Reply, Request};

/// The largest file that a target may write, so that a runaway log does not fill the disk.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// Serves requests from standard input, a socket, until metacov closes it. Then removes the folder
/// of the executions: metacov may have been killed before it could.
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
        // Fails if the limit is lower already, which is fine.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
    let mut spawner = Spawner::new();
    while let Some((request, stdio)) = Request::receive(control.as_fd())? {
        let Some(reply) = execute(&request, stdio, &mut spawner, control.as_fd())? else {
            return Ok(());
        };
        reply.send(control.as_fd())?;
    }
    Ok(())
}

/// Runs a process until it ends, reaches its limit (SIGTERM, then SIGKILL after the grace), or
/// metacov ends. None in the last case.
fn execute(
    request: &Request,
    stdio: [OwnedFd; 3],
    spawner: &mut Spawner,
    control: BorrowedFd<'_>,
) -> io::Result<Option<Reply>> {
    let started = match spawner.spawn(request, &stdio) {
        Ok(started) => started,
        Err(error) => {
            let number = error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error());
            return Ok(Some(Reply::NotStarted(number)));
        }
    };
    // Close our copies of its descriptors, or readers of its output would never see the end.
    drop(stdio);
    let (limits, grace) = (TimeLimits { wall: request.wall, cpu: None }, request.grace);
    let ended = contain(&started, limits, grace, Some(control))?;
    Ok(ended.map(Reply::Ended))
}

/// Waits until a child of this process ends, reaches its limit (SIGTERM, then SIGKILL after the
/// grace), or metacov ends, and ends all its descendants. None if metacov has ended. This process
/// is a subreaper and has no other children.
pub(super) fn contain(
    started: &Started,
    limits: TimeLimits,
    grace: Duration,
    control: Option<BorrowedFd<'_>>,
) -> io::Result<Option<Exit>> {
    let family = Family(started.pid);
    let mut end = wait(started, control, limits)?;
    if matches!(end, End::Late) {
        family.signal(Signal::TERM);
        end = match wait(started, control, TimeLimits { wall: Some(grace), cpu: None })? {
            End::Itself => End::Late,
            other => other,
        };
    }
    // Descendants that outlive the target get the grace period to end by themselves.
    let status = family.end(matches!(end, End::Itself).then_some(grace))?;
    Ok(match end {
        End::Itself => Some(exit(status)),
        End::Late => Some(Exit::Timeout),
        End::Killed => Some(Exit::Signalled(Signal::KILL.as_raw())),
        End::Orphaned => None,
    })
}

/// How long a process may take.
#[derive(Clone, Copy)]
pub(super) struct TimeLimits {
    /// Wall-clock time.
    pub(super) wall: Option<Duration>,
    /// Processor time of the process, without its children.
    pub(super) cpu: Option<Duration>,
}

/// Why waiting for a process is over.
enum End {
    /// It has ended by itself.
    Itself,
    /// It has reached its time limit.
    Late,
    /// Metacov has requested its end.
    Killed,
    /// Metacov has ended.
    Orphaned,
}

#[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
fn wait(started: &Started, control: Option<BorrowedFd<'_>>, limits: TimeLimits) -> io::Result<End> {
    let pidfd = &started.pidfd;
    // A time beyond the range of the clock is no limit.
    let end = limits.wall.and_then(|time| Instant::now().checked_add(time));
    loop {
        let wall_left = end.map(|end| end.saturating_duration_since(Instant::now()));
        // A process with one thread cannot use it up in less time than that.
        let cpu_left = limits.cpu.map(|limit| limit.saturating_sub(time_of(started.pid)));
        let left = wall_left.into_iter().chain(cpu_left).min();
        if left == Some(Duration::ZERO) {
            return Ok(End::Late);
        }
        let left = left.map(Timespec::try_from).transpose().map_err(io::Error::other)?;
        let mut both = vec![PollFd::new(pidfd, PollFlags::IN)];
        both.extend(control.as_ref().map(|control| PollFd::new(control, PollFlags::IN)));
        match poll(&mut both, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let has_ended = !both[0].revents().is_empty();
        let is_called = both.get(1).is_some_and(|control| !control.revents().is_empty());
        if let Some(control) = control.filter(|_| is_called) {
            let mut byte = [0];
            return Ok(match rustix::io::read(control, &mut byte) {
                Ok(1) => End::Killed,
                _ => End::Orphaned,
            });
        }
        if has_ended {
            return Ok(End::Itself);
        }
    }
}

/// How a process ended, by its wait status.
pub(crate) fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(0), _) => Exit::Success,
        (Some(code), _) => Exit::Failure(code),
        (None, Some(signal)) if signal == Signal::XCPU.as_raw() => Exit::Timeout,
        (None, signal) => Exit::Signalled(signal.unwrap_or(0)),
    }
}

/// A child and all its descendants.
struct Family(Pid);

impl Family {
    fn signal(&self, signal: Signal) {
        // Fails if all of the group have ended already, which is fine.
        let _ = kill_process_group(self.0, signal);
    }

    /// Ends all of it: at once, or after a grace if the target has ended by itself. The group comes
    /// first, while its id cannot have been reused; then processes that have left the group,
    /// generation by generation: when a process ends, its children become ours.
    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    fn end(&self, grace: Option<Duration>) -> io::Result<ExitStatus> {
        if grace.is_none() {
            self.signal(Signal::KILL);
        }
        let status = loop {
            match waitpid(Some(self.0), WaitOptions::empty()) {
                Ok(Some((_, status))) => break ExitStatus::from_raw(status.as_raw()),
                Ok(None) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        };
        let end = Instant::now().checked_add(grace.unwrap_or_default());
        loop {
            match wait_for_any(WaitOptions::NOHANG) {
                Err(Errno::CHILD) => return Ok(status),
                Ok(None) => {
                    if end.is_some_and(|end| Instant::now() >= end) {
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

    /// Kills a remaining process of the target, with the whole group if it is still in it.
    fn kill(&self, child: Pid) {
        if getpgid(Some(child)).is_ok_and(|group| group == self.0) {
            self.signal(Signal::KILL);
        } else {
            let _ = kill_process(child, Signal::KILL);
        }
    }
}

/// The processes whose parent is this one.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().get();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let child = |name: &str| {
        let pid: i32 = name.parse().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The program's name is in parentheses, and may itself contain parentheses.
        let parent: i32 = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
        (parent == own).then(|| Pid::from_raw(pid))?
    };
    processes.filter_map(|entry| child(entry.file_name().to_str()?)).collect()
}
