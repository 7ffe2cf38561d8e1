//! Work that is done in a forked child, so that nothing of it stays but its result.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};

use metacov_core::Exit;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, WaitOptions, pidfd_open, waitpid};

use crate::supervise::exit;

/// Runs `work` in a child of this process, and gives back the bytes that it makes; or how the child
/// ended, if it did not come to that. For processes with one thread.
#[expect(unsafe_code, reason = "forking is not in the safe part of any library")]
pub fn in_child(work: impl FnOnce() -> Vec<u8>) -> io::Result<Result<Vec<u8>, Exit>> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    // SAFETY: this process has one thread, as whoever calls this promises.
    let child = unsafe { libc::fork() };
    if child == 0 {
        drop(reader);
        let bytes = work();
        let written = File::from(writer).write_all(&bytes);
        // SAFETY: an end without the ceremonies that belong to the parent.
        unsafe { libc::_exit(i32::from(written.is_err())) };
    }
    let Some(child) = Pid::from_raw(child).filter(|_| child > 0) else {
        return Err(io::Error::last_os_error());
    };
    drop(writer);
    let mut bytes = Vec::new();
    let read = read_while(child, File::from(reader), &mut bytes);
    let status = loop {
        match waitpid(Some(child), WaitOptions::empty()) {
            Ok(Some((_, status))) => break status.as_raw(),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    read?;
    match exit(ExitStatus::from_raw(status)) {
        Exit::Success => Ok(Ok(bytes)),
        other => Ok(Err(other)),
    }
}

/// Reads until the child has ended. What it has left behind may keep the other end of the pipe for as long as it likes.
fn read_while(child: Pid, mut reader: File, bytes: &mut Vec<u8>) -> io::Result<()> {
    let pidfd = pidfd_open(child, PidfdFlags::empty())?;
    ioctl_fionbio(&reader, true)?;
    loop {
        let mut both = [PollFd::new(&pidfd, PollFlags::IN), PollFd::new(&reader, PollFlags::IN)];
        match poll(&mut both, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let has_ended = !both[0].revents().is_empty();
        match reader.read_to_end(bytes) {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && !has_ended => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// Has this program start again in a process whose memory lies at the same addresses each time,
/// unless it is one already, or the system does not have it so.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
pub fn fix_addresses() {
    const AS_IT_IS: libc::c_ulong = 0xffff_ffff;
    // SAFETY: asks for a setting of this process, and changes it.
    let is_new = unsafe {
        let now = libc::personality(AS_IT_IS);
        let wanted = now | libc::ADDR_NO_RANDOMIZE;
        now >= 0
            && now != wanted
            && libc::personality(libc::c_ulong::from(wanted.cast_unsigned())) >= 0
    };
    if is_new {
        // The environment lies in memory too: what is not needed would move the rest.
        let kept = ["TMPDIR", "LD_LIBRARY_PATH"];
        let kept = kept.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        let mut again = Command::new("/proc/self/exe");
        let error = again.args(std::env::args_os().skip(1)).env_clear().envs(kept).exec();
        // It goes on as it is.
        drop(error);
    }
}

/// Gives memory back that nobody uses, so that forking does not take longer than it has to.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
pub fn give_back_memory() {
    // SAFETY: it only touches memory that is free. Only glibc has it.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0)
    };
}

/// Keeps memory that is given back from here on, so that it need not be taken from the system again:
/// for a process that does the same over and over.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
pub fn keep_memory() {
    /// As much as is kept, and the least that is taken from the system by itself.
    #[cfg(target_env = "gnu")]
    const KEPT_BYTES: libc::c_int = 256 << 20;
    // SAFETY: settings of the allocator. Only glibc has them.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT_BYTES);
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT_BYTES);
    }
}
