//! Mutants of a library that this process has loaded: a process for each, forked where its code is first reached.

use std::io;
use std::path::Path;
use std::time::Duration;

use libloading::os::unix::{Library, RTLD_LAZY};
use metacov_core::Exit;
use serde::{Deserialize, Serialize};

use super::in_child;

/// The runtime of mutants in a loaded library.
pub struct MutantRuntime {
    split: unsafe extern "C" fn(*const Split),
    current: unsafe extern "C" fn() -> u32,
    set: unsafe extern "C" fn(u32, u32),
    places: u64,
}

/// `struct metacov_split` of the runtime.
#[repr(C)]
struct Split {
    first: *const u32,
    wanted: *const u8,
    ends: *mut End,
    cpu_microseconds: u64,
    wall_microseconds: u64,
    memory_bytes: u64,
}

/// `struct metacov_mutant_end` of the runtime.
#[repr(C)]
#[derive(Clone, Copy)]
struct End {
    status: i32,
    microseconds: u32,
}

/// The status of a mutant that was not reached, or not wanted.
const NOT_REACHED: i32 = -1;

/// Which mutants to run, and the limits of each of them.
pub struct MutantPlan<'p> {
    /// For each place the number of its first mutant, and at the end how many there are.
    pub first: &'p [u32],
    /// For each mutant, whether it is run: 0 or 1.
    pub wanted: &'p [u8],
    /// The limit of processor time.
    pub cpu: Duration,
    /// The limit of time.
    pub wall: Duration,
    /// The limit of memory.
    pub memory_bytes: u64,
}

/// How the process of a mutant has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutantEnd {
    /// The mutant.
    pub mutant: u32,
    /// How its process ended.
    pub exit: MutantExit,
    /// The processor time that it took, in microseconds.
    pub microseconds: u32,
}

/// How the process of a mutant has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MutantExit {
    /// With the code of the work, or of the target.
    Code(u8),
    /// By a signal.
    Signal(i32),
    /// At a limit of time.
    Timeout,
    /// The system could not start it.
    NotStarted,
}

/// The result of work with mutants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitWork {
    /// What the work returned without a mutant.
    pub code: u8,
    /// The processor time without processes of mutants, in microseconds.
    pub microseconds: u64,
    /// All wanted mutants that were reached, by number.
    pub ends: Vec<MutantEnd>,
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
                current: *library.get(b"metacov_mutant_current\0").map_err(failed)?,
                set: *library.get(b"metacov_mutant_set\0").map_err(failed)?,
                places: places(),
            }
        };
        std::mem::forget(library);
        Ok(runtime)
    }

    /// Runs work in a child, and in a process for each wanted mutant that it reaches. The work returns the exit code
    /// of that process. Returns how the child ended if it did not finish.
    #[expect(unsafe_code, reason = "the runtime of mutants, and exiting without exit handlers")]
    pub fn split(
        &self,
        plan: &MutantPlan<'_>,
        work: impl FnOnce() -> u8,
    ) -> io::Result<Result<SplitWork, Exit>> {
        self.check(plan)?;
        let done = in_child(|| {
            let mut ends = vec![End { status: NOT_REACHED, microseconds: 0 }; plan.wanted.len()];
            let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
            let split = Split {
                first: plan.first.as_ptr(),
                wanted: plan.wanted.as_ptr(),
                ends: ends.as_mut_ptr(),
                cpu_microseconds: micros(plan.cpu),
                wall_microseconds: micros(plan.wall),
                memory_bytes: plan.memory_bytes,
            };
            // SAFETY: the slices outlive the work, and have the lengths that were checked.
            unsafe { (self.split)(&raw const split) };
            let code = work();
            // SAFETY: returns a number.
            if unsafe { (self.current)() } != 0 {
                // SAFETY: exits without running the exit handlers, which belong to the parent.
                unsafe { libc::_exit(i32::from(code)) };
            }
            // The runtime has written to it.
            let ends = std::hint::black_box(ends);
            let reached = (0..).zip(&ends).filter(|(_, end)| end.status != NOT_REACHED);
            let ends = reached.map(|(mutant, end)| MutantEnd {
                mutant,
                exit: exit(end.status),
                microseconds: end.microseconds,
            });
            let microseconds = own_microseconds();
            postcard::to_stdvec(&SplitWork { code, microseconds, ends: ends.collect() })
                .unwrap_or_default()
        })?;
        Ok(match done {
            Ok(bytes) => Ok(postcard::from_bytes(&bytes).map_err(io::Error::other)?),
            Err(exit) => Err(exit),
        })
    }

    /// Runs work in a child in which one mutant is on from the start.
    #[expect(unsafe_code, reason = "the runtime of mutants")]
    pub fn with_mutant(
        &self,
        plan: &MutantPlan<'_>,
        mutant: u32,
        work: impl FnOnce() -> u8,
    ) -> io::Result<MutantExit> {
        self.check(plan)?;
        let place = plan.first.partition_point(|first| *first <= mutant).saturating_sub(1);
        let nth = mutant - plan.first[place];
        let place = u32::try_from(place).map_err(io::Error::other)?;
        let done = in_child(|| {
            limit_time(libc::ITIMER_PROF, plan.cpu);
            limit_time(libc::ITIMER_REAL, plan.wall);
            // SAFETY: the place exists, as was checked.
            unsafe { (self.set)(place, nth) };
            vec![work()]
        })?;
        Ok(match done {
            Ok(code) => MutantExit::Code(code.first().copied().unwrap_or_default()),
            Err(Exit::Success) => MutantExit::Code(0),
            Err(Exit::Failure(code)) => MutantExit::Code(code.to_le_bytes()[0]),
            Err(Exit::Signalled(signal)) => signalled(signal),
            Err(Exit::Timeout) => MutantExit::Timeout,
        })
    }

    /// A table of another build would make the runtime write anywhere.
    fn check(&self, plan: &MutantPlan<'_>) -> io::Result<()> {
        let mutants = plan.first.last().map(|count| *count as usize);
        let is_valid = plan.first.len() as u64 == self.places + 1
            && mutants == Some(plan.wanted.len())
            && plan.first.is_sorted();
        if is_valid {
            Ok(())
        } else {
            Err(io::Error::other("the table of mutants is of another build"))
        }
    }
}

fn exit(status: i32) -> MutantExit {
    match status {
        status if status < 0 => MutantExit::NotStarted,
        status if libc::WIFSIGNALED(status) => signalled(libc::WTERMSIG(status)),
        status => MutantExit::Code(libc::WEXITSTATUS(status).to_le_bytes()[0]),
    }
}

/// The signals of the timers are signs of a time-out.
fn signalled(signal: i32) -> MutantExit {
    match signal {
        libc::SIGPROF | libc::SIGALRM => MutantExit::Timeout,
        signal => MutantExit::Signal(signal),
    }
}

/// The processor time of this process.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
fn own_microseconds() -> u64 {
    // SAFETY: writes to the place that it is given.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let micros = |time: libc::timeval| time.tv_sec * 1_000_000 + time.tv_usec;
    u64::try_from(micros(usage.ru_utime) + micros(usage.ru_stime)).unwrap_or(0)
}

/// Ends this process by a signal after this time.
#[expect(unsafe_code, reason = "not in the safe part of any library")]
fn limit_time(which: libc::c_int, time: Duration) {
    let never = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let tv_sec = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    let once = libc::timeval { tv_sec, tv_usec: i64::from(time.subsec_micros()) };
    let timer = libc::itimerval { it_interval: never, it_value: once };
    // SAFETY: reads the timer.
    unsafe { libc::setitimer(which, &raw const timer, std::ptr::null_mut()) };
}
