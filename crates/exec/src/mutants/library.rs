//! Mutants of a library that this process has loaded.

use std::ffi::{CString, c_char};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use libloading::os::unix::{Library, RTLD_LAZY};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::Pid;

use super::outputs::{MutatedRun, read_output, run_in_parts, take_outputs};
use super::split_memory::SplitMemory;
use super::{MutantEnd, MutantExit, MutantPlan, SplitWork};
use crate::process::fork::fork;
use crate::process::helper::OWN_DESCRIPTORS;

/// The runtime of mutants in a loaded library.
pub struct MutantRuntime {
    split: unsafe extern "C" fn(*mut u8),
    /// Where processes with mutants write their outputs.
    output: unsafe extern "C" fn(*const c_char),
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
                output: *library.get(b"metacov_mutants_output\0").map_err(failed)?,
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
        self.check(plan)?;
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
        in_child(plan, false, |memory| {
            let detached = detach(None);
            // SAFETY: the memory has the layout that the runtime expects, for as many places as there are.
            unsafe { (self.split)(memory) };
            let code = if detached.is_ok() { work() } else { 1 };
            // SAFETY: stores the steps; exits without running the exit handlers, which belong to the parent.
            unsafe {
                (self.done)();
                libc::_exit(i32::from(code))
            };
        })
    }

    /// Runs an input in a child, which ends with the result as its exit code, and in a process for each wanted mutant
    /// that it reaches, or with the only one. What each of them prints goes to a file in the working directory.
    pub fn run_input(
        &self,
        plan: &MutantPlan<'_>,
        mut work: impl FnMut() -> i32,
    ) -> io::Result<MutatedRun> {
        self.check(plan)?;
        let path = std::env::current_dir()?.join("mutant-output");
        run_in_parts(plan, |plan| self.run_input_once(plan, &path, &mut work))
    }

    #[expect(unsafe_code, reason = "the runtime of mutants, and exiting as the target does")]
    fn run_input_once(
        &self,
        plan: &MutantPlan<'_>,
        path: &Path,
        work: &mut dyn FnMut() -> i32,
    ) -> io::Result<MutatedRun> {
        let name = CString::new(path.as_os_str().as_bytes())?;
        let output = File::create(path)?;
        let work = in_child(plan, true, move |memory| {
            let detached = detach(Some(&output));
            drop(output);
            // SAFETY: the path ends with zero, and the memory has the layout that the runtime expects.
            unsafe {
                (self.output)(name.as_ptr());
                (self.split)(memory);
            }
            let code = if detached.is_ok() { work() } else { 1 };
            // SAFETY: this process has one thread. `exit` writes what the target has buffered, and the runtime stores the
            // steps; metacov has no exit handlers.
            unsafe { libc::exit(code) }
        })?;
        let SplitWork { exit, cpu, steps, ends } = work;
        let (output, ends) = (read_output(path)?, take_outputs(ends, path)?);
        fs::remove_file(path)?;
        Ok(MutatedRun { exit, output, steps, time: cpu, ends })
    }

    fn check(&self, plan: &MutantPlan<'_>) -> io::Result<()> {
        if plan.first.len() as u64 == self.places + 1 {
            return Ok(());
        }
        Err(io::Error::other("the table of mutants is of another build"))
    }
}

/// Runs work in a child, with memory that is shared with the runtime. The work ends the child.
fn in_child(
    plan: &MutantPlan<'_>,
    is_program: bool,
    work: impl FnOnce(*mut u8),
) -> io::Result<SplitWork> {
    let file = File::from(memfd_create("metacov-mutants", MemfdFlags::CLOEXEC)?);
    let mut memory = SplitMemory::new(&file, plan, is_program)?;
    drop(file);
    let Some(child) = fork()? else {
        work(memory.start());
        std::process::abort()
    };
    let (status, cpu) = wait_for(child)?;
    let (exit, steps) = (MutantExit::of_status(status), memory.steps());
    Ok(SplitWork { exit, cpu, steps, ends: memory.ends() })
}

/// Takes metacov's descriptors away from this process: code with mutants may write to any. Only this output is left. A crash ends it at once:
/// the handler of Rust reads its own list of threads, and a mutant that has damaged that list keeps it busy for seconds.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
fn detach(output: Option<&File>) -> io::Result<()> {
    for signal in [libc::SIGSEGV, libc::SIGBUS] {
        // SAFETY: always valid.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    let nothing = File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(output.unwrap_or(&nothing))?;
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

#[cfg(test)]
mod tests {
    use super::super::MutantLimits;
    use super::*;

    extern "C" fn split(_: *mut u8) {}

    extern "C" fn output(_: *const c_char) {}

    extern "C" fn done() -> u32 {
        0
    }

    #[test]
    #[expect(unsafe_code, reason = "a crash")]
    fn a_crash_ends_the_process_at_once() {
        let runtime = MutantRuntime { split, output, done, places: 0 };
        let limits = MutantLimits::NONE;
        let plan = MutantPlan { first: &[0], wanted: &[], only: None, limits };
        let has_handler = |signal| {
            // SAFETY: writes to the place that it is given.
            unsafe {
                let mut action = std::mem::zeroed::<libc::sigaction>();
                libc::sigaction(signal, std::ptr::null(), &raw mut action);
                action.sa_sigaction != libc::SIG_DFL
            }
        };
        let work = || u8::from(has_handler(libc::SIGSEGV) || has_handler(libc::SIGBUS));
        assert_eq!(runtime.split(&plan, work).unwrap().exit, MutantExit::Code(0));
    }

    #[test]
    #[expect(unsafe_code, reason = "prints as a target does")]
    fn what_an_input_prints_is_kept() {
        let runtime = MutantRuntime { split, output, done, places: 0 };
        let limits = MutantLimits::NONE;
        let plan = MutantPlan { first: &[0], wanted: &[], only: None, limits };
        let print = || {
            // SAFETY: the text has this length.
            unsafe { libc::write(1, b"sat\n".as_ptr().cast(), 4) };
            10
        };
        let run = runtime.run_input(&plan, print).unwrap();
        let printed = (run.exit, &*run.output.content, run.output.bytes);
        assert_eq!(printed, (MutantExit::Code(10), &b"sat\n"[..], 4));
    }
}
