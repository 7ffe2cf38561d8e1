//! A process that ends when it should.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use metacov_core::Exit;
use rustix::process::{Pid, Signal, kill_process_group};

#[cfg(not(target_os = "linux"))]
use crate::waiter::Polling as Waiter;
#[cfg(target_os = "linux")]
use crate::waiter::Sleeping as Waiter;

/// How often an interrupt is looked for.
const SLICE: Duration = Duration::from_millis(100);

/// How long an execution may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// By the clock on the wall.
    pub wall: Duration,
    /// How long it may go on after it was asked to end, before it is made to.
    pub grace: Duration,
}

/// Runs a command to its end, or to ours: at its limit it is asked to end (TERM) and then made to
/// (KILL), with all of its process group; an interrupt makes it end at once. When it has ended,
/// nothing of its group is left, whichever way it ended.
pub(crate) fn run(
    command: &mut Command,
    limits: &Limits,
    interrupted: &AtomicBool,
) -> io::Result<Exit> {
    let mut child = Group(command.process_group(0).spawn()?);
    let ended = child.wait_for(limits.wall, interrupted)?;
    if !ended && !interrupted.load(Ordering::Relaxed) {
        child.signal(Signal::TERM);
        child.wait_for(limits.grace, interrupted)?;
    }
    let status = child.end()?;
    if interrupted.load(Ordering::Relaxed) {
        return Err(io::Error::new(io::ErrorKind::Interrupted, "interrupted"));
    }
    Ok(if ended { exit(status) } else { Exit::Timeout })
}

fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(0), _) => Exit::Success,
        (Some(code), _) => Exit::Failure(code),
        (None, signal) => Exit::Signalled(signal.unwrap_or(0)),
    }
}

/// A child and all of its process group.
struct Group(Child);

impl Group {
    /// Whether the child ends within this time. It is not reaped: its number stays its own.
    #[expect(clippy::disallowed_methods, reason = "limits are by the clock; results are not")]
    fn wait_for(&self, time: Duration, interrupted: &AtomicBool) -> io::Result<bool> {
        let end = Instant::now() + time;
        let mut waiter = Waiter::of(self.pid())?;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || interrupted.load(Ordering::Relaxed) {
                return Ok(false);
            }
            if waiter.ends_within(left.min(SLICE))? {
                return Ok(true);
            }
        }
    }

    fn signal(&self, signal: Signal) {
        // All of the group may have ended already.
        let _ = kill_process_group(self.pid(), signal);
    }

    /// Ends what is left of the group, and reaps the child. Only in this order: once the child is
    /// reaped, its number may be another's.
    fn end(&mut self) -> io::Result<ExitStatus> {
        self.signal(Signal::KILL);
        self.0.wait()
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.0)
    }
}

/// No way out of this module leaves a group behind.
impl Drop for Group {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            let _ = self.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    fn shell(script: &str, wall: Duration) -> Exit {
        let limits = Limits { wall, grace: Duration::from_millis(200) };
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::null());
        run(&mut command, &limits, &AtomicBool::new(false)).unwrap()
    }

    const LONG: Duration = Duration::from_secs(60);
    const SHORT: Duration = Duration::from_millis(300);

    #[test]
    fn processes_end_as_they_end() {
        assert_eq!(shell("exit 0", LONG), Exit::Success);
        assert_eq!(shell("exit 7", LONG), Exit::Failure(7));
        assert_eq!(shell("kill -SEGV $$", LONG), Exit::Signalled(11));
        assert_eq!(shell("kill -KILL $$", LONG), Exit::Signalled(9));
    }

    #[test]
    fn a_hang_ends_at_its_limit_even_if_it_ignores_being_asked() {
        assert_eq!(shell("sleep 1000", SHORT), Exit::Timeout);
        assert_eq!(shell("trap '' TERM; while :; do sleep 1; done", SHORT), Exit::Timeout);
    }

    #[test]
    fn children_do_not_outlive_their_parent() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let script = format!("sleep 1000 & echo $! > {}", pid.display());
        assert_eq!(shell(&script, LONG), Exit::Success);
        let pid = std::fs::read_to_string(pid).unwrap();
        // Gone, or dead and waiting for init to take notice. A signal takes a moment to arrive.
        let has_ended = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
            stat.map_or(true, |stat| stat.contains(") Z "))
        };
        let moments = 1..500;
        assert!(moments.into_iter().any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            has_ended()
        }));
    }

    #[test]
    fn endless_output_is_no_harm() {
        assert_eq!(shell("exec cat /dev/zero", SHORT), Exit::Timeout);
    }

    #[test]
    fn an_interrupt_ends_at_once() {
        let limits = Limits { wall: LONG, grace: LONG };
        let mut command = Command::new("sleep");
        let ended = run(command.arg("1000"), &limits, &AtomicBool::new(true));
        assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::Interrupted);
    }
}
