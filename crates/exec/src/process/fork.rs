//! Work in a forked child, which returns only bytes; and settings of the allocator and of the
//! address space.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};

use metacov_core::Exit;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, WaitOptions, pidfd_open, waitpid};

use super::helper::ALLOCATOR_VARIABLE;
use super::not_run::RETRY_PAUSES;
use super::supervisor_main::exit;

/// Runs `work` in a forked child and returns the bytes that it produces, or how the child ended if
/// it did not finish. While the system cannot start a process, waits and tries again. Only for
/// processes with one thread.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
pub fn in_child(work: impl FnOnce() -> Vec<u8>) -> io::Result<Result<Vec<u8>, Exit>> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    let Some(child) = fork()? else {
        drop(reader);
        let bytes = work();
        let written = File::from(writer).write_all(&bytes);
        // SAFETY: exits without running the exit handlers, which belong to the parent.
        unsafe { libc::_exit(i32::from(written.is_err())) };
    };
    drop(writer);
    let mut bytes = Vec::new();
    let read = read_while(child, File::from(reader), &mut bytes);
    let status = loop {
        match waitpid(Some(child), WaitOptions::empty()) {
            Ok(Some((_, status))) => break status.as_raw(),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    read?;
    match exit(ExitStatus::from_raw(status)) {
        Exit::Success => Ok(Ok(bytes)),
        other => Ok(Err(other)),
    }
}

/// Forks; returns none in the child. While the system cannot start a process, waits and tries
/// again. Only for processes with one thread.
#[expect(unsafe_code, reason = "forking is not in the safe part of any library")]
pub(crate) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: this process has one thread, as the caller promises.
    let fork = || unsafe { libc::fork() };
    let mut child = fork();
    for pause in RETRY_PAUSES {
        if child >= 0 {
            break;
        }
        std::thread::sleep(pause);
        child = fork();
    }
    if child < 0 { Err(io::Error::last_os_error()) } else { Ok(Pid::from_raw(child)) }
}

/// Reads until the child has ended. Orphaned descendants of it may keep the pipe open longer.
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

/// Executes this program again without address space randomisation, unless that is off already or
/// cannot be turned off: memory is then at the same addresses in each run.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
pub fn fix_addresses() {
    const QUERY: libc::c_ulong = 0xffff_ffff;
    // SAFETY: reads and changes a setting of this process.
    let is_new = unsafe {
        let now = libc::personality(QUERY);
        let wanted = now | libc::ADDR_NO_RANDOMIZE;
        now >= 0
            && now != wanted
            && libc::personality(libc::c_ulong::from(wanted.cast_unsigned())) >= 0
    };
    if is_new {
        // The size of the environment changes the addresses of the stack, so only the needed
        // variables are kept.
        let kept = ["TMPDIR", "LD_LIBRARY_PATH", ALLOCATOR_VARIABLE];
        let kept = kept.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        let mut again = Command::new("/proc/self/exe");
        let error = again.args(std::env::args_os().skip(1)).env_clear().envs(kept).exec();
        // Continue with randomised addresses.
        drop(error);
    }
}

/// Returns free memory to the system: forking is faster the less memory there is.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
pub fn give_back_memory() {
    // SAFETY: only touches free memory. Only glibc has it.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0)
    };
}

/// Makes the allocator keep freed memory, for a process that allocates the same amount repeatedly.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
pub fn keep_memory() {
    /// The most free memory that is kept, and the smallest allocation that gets a separate mapping.
    #[cfg(target_env = "gnu")]
    const KEPT_BYTES: libc::c_int = 256 << 20;
    // SAFETY: changes settings of the allocator. Only glibc has them.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT_BYTES);
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT_BYTES);
    }
}
