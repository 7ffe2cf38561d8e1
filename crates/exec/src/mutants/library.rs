//! Mutants of a library that this process has loaded.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use libloading::os::unix::{Library, RTLD_LAZY};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::Pid;

use super::split_memory::SplitMemory;
use super::{MutantEnd, MutantExit, MutantPlan, SplitWork};
use crate::process::fork::fork;
use crate::process::helper::OWN_DESCRIPTORS;

/// The runtime of mutants in a loaded library.
pub struct MutantRuntime {
    split: unsafe extern "C" fn(*mut u8),
    done: unsafe extern "C" fn() -> u32,
    places: u64,
}

impl MutantRuntime {
    /// Finds the runtime of a library that is loaded.
    #[expect(unsafe_code, reason = "functions of a loaded library: see the safety comments")]
    pub fn of_library(path: &Path) -> io::Result<Self> {
        let failed = |error: libloading::Error| io::Error::other(error.to_string());
        // SAFETY: the library is loaded already, so no code of it runs.
        let library =
            unsafe { Library::open(Some(path), RTLD_LAZY | libc::RTLD_NOLOAD) }.map_err(failed)?;
        // SAFETY: the types are those of mutants.c.
        let runtime = unsafe {
            let places: unsafe extern "C" fn() -> u64 =
                *library.get(b"metacov_mutant_places\0").map_err(failed)?;
            MutantRuntime {
                split: *library.get(b"metacov_mutants_split\0").map_err(failed)?,
                done: *library.get(b"metacov_mutants_done\0").map_err(failed)?,
                places: places(),
            }
        };
        std::mem::forget(library);
        Ok(runtime)
    }

    /// Runs work in a child, and in a process for each wanted mutant that it reaches, or with the only one. The work
    /// returns the exit code of that process.
    pub fn split(
        &self,
        plan: &MutantPlan<'_>,
        mut work: impl FnMut() -> u8,
    ) -> io::Result<SplitWork> {
        if plan.first.len() as u64 != self.places + 1 {
            return Err(io::Error::other("the table of mutants is of another build"));
        }
        let mut whole = self.split_once(plan, &mut work)?;
        // If a mutant has ended the process that waits for it, the others are run without it.
        let mut wanted = plan.wanted.to_vec();
        let has_ended = |end: &MutantEnd| end.exit == MutantExit::EndedParent;
        let mut is_complete = !whole.ends.iter().any(has_ended);
        while !is_complete {
            whole.ends.iter().for_each(|end| wanted[end.mutant as usize] = 0);
            let plan = MutantPlan { wanted: &wanted, ..*plan };
            let more = self.split_once(&plan, &mut work)?;
            is_complete = !more.ends.iter().any(has_ended);
            let ends = [whole.ends, more.ends].concat();
            whole = SplitWork { cpu: whole.cpu + more.cpu, ends, ..more };
        }
        whole.ends.sort_unstable_by_key(|end| end.mutant);
        Ok(whole)
    }

    #[expect(unsafe_code, reason = "the runtime of mutants, and exiting without exit handlers")]
    fn split_once(
        &self,
        plan: &MutantPlan<'_>,
        work: &mut dyn FnMut() -> u8,
    ) -> io::Result<SplitWork> {
        let file = File::from(memfd_create("metacov-mutants", MemfdFlags::CLOEXEC)?);
        let mut memory = SplitMemory::new(&file, plan, false)?;
        drop(file);
        let Some(child) = fork()? else {
            let detached = detach();
            // SAFETY: the memory has the layout that the runtime expects, for as many places as there are.
            unsafe { (self.split)(memory.start()) };
            let code = if detached.is_ok() { work() } else { 1 };
            // SAFETY: stores the steps; exits without running the exit handlers, which belong to the parent.
            unsafe {
                (self.done)();
                libc::_exit(i32::from(code))
            };
        };
        let (status, cpu) = wait_for(child)?;
        let (exit, steps) = (MutantExit::of_status(status), memory.steps());
        Ok(SplitWork { exit, cpu, steps, ends: memory.ends() })
    }
}

/// Takes metacov's descriptors away from this process: code with mutants may write to any.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
fn detach() -> io::Result<()> {
    let nothing = File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    // SAFETY: this process does not use them again: it exits without dropping anything.
    unsafe {
        libc::syscall(libc::SYS_close_range, OWN_DESCRIPTORS, libc::c_uint::MAX, 0);
    }
    Ok(())
}

/// Waits for a child, and ends what it has started. Returns its status, and the processor time of all processes.
#[expect(unsafe_code, reason = "wait4 and kill are not in the safe part of any library")]
fn wait_for(child: Pid) -> io::Result<(i32, Duration)> {
    let child = child.as_raw_nonzero().get();
    let mut status = 0;
    // SAFETY: writes to the places that it is given.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        while libc::wait4(child, &raw mut status, 0, &raw mut usage) < 0 {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        // Only a process with a mutant has a group: its number is that of the process.
        libc::kill(-child, libc::SIGKILL);
        usage
    };
    let micros = |time: libc::timeval| time.tv_sec * 1_000_000 + time.tv_usec;
    let micros = u64::try_from(micros(usage.ru_utime) + micros(usage.ru_stime)).unwrap_or(0);
    Ok((status, Duration::from_micros(micros)))
}
