//! Waiting for a child to end, without taking notice of its end: as long as it is not reaped, its
//! number cannot become another process's.

use std::io;
use std::time::Duration;

use rustix::process::Pid;

/// Sleeps until the child ends.
#[cfg(target_os = "linux")]
pub(crate) struct Sleeping(std::os::fd::OwnedFd);

#[cfg(target_os = "linux")]
impl Sleeping {
    pub(crate) fn of(child: Pid) -> io::Result<Self> {
        use rustix::process::{PidfdFlags, pidfd_open};
        Ok(Sleeping(pidfd_open(child, PidfdFlags::empty())?))
    }

    /// Whether the child ends within this time, or has ended.
    pub(crate) fn ends_within(&mut self, time: Duration) -> io::Result<bool> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let timeout = Timespec::try_from(time).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&timeout)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Looks again and again, ever less often: for systems without descriptors of processes.
#[cfg(any(not(target_os = "linux"), test))]
pub(crate) struct Polling {
    child: Pid,
    pause: Duration,
}

#[cfg(any(not(target_os = "linux"), test))]
impl Polling {
    const PAUSE_MAX: Duration = Duration::from_millis(10);

    #[cfg_attr(target_os = "linux", expect(clippy::unnecessary_wraps, reason = "as the other"))]
    pub(crate) fn of(child: Pid) -> io::Result<Self> {
        Ok(Polling { child, pause: Duration::from_micros(200) })
    }

    /// Whether the child ends within this time, or has ended.
    pub(crate) fn ends_within(&mut self, time: Duration) -> io::Result<bool> {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let mut left = time;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(self.child), options)?.is_none() {
            if left.is_zero() {
                return Ok(false);
            }
            let pause = self.pause.min(left);
            std::thread::sleep(pause);
            left -= pause;
            self.pause = (2 * self.pause).min(Self::PAUSE_MAX);
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn both_ways_to_wait_see_an_end_and_leave_the_child_to_be_reaped() {
        let mut child = Command::new("sleep").arg("0.3").spawn().unwrap();
        let pid = Pid::from_child(&child);
        let mut polling = Polling::of(pid).unwrap();
        assert!(!polling.ends_within(Duration::from_millis(20)).unwrap());
        assert!(polling.ends_within(Duration::from_secs(60)).unwrap());
        #[cfg(target_os = "linux")]
        assert!(Sleeping::of(pid).unwrap().ends_within(Duration::from_secs(60)).unwrap());
        assert!(child.wait().unwrap().success());
    }
}
