//! Mutants: a process for each, forked where its code is first reached, in a library that this process has loaded or in
//! a program.

mod library;
mod outputs;
mod program;
mod split_memory;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use library::MutantRuntime;
pub use outputs::{MutantOutput, MutatedRun};
pub use program::MutatedProgram;

/// Which mutants to run, and the limits of each of them.
#[derive(Clone, Copy)]
pub struct MutantPlan<'p> {
    /// For each place the number of its first mutant, and at the end how many there are.
    pub first: &'p [u32],
    /// For each mutant, whether it is run: 0 or 1.
    pub wanted: &'p [u8],
    /// The mutant that is on from the start, in a process that is started for it. None: each wanted one gets a process
    /// where it is first reached.
    pub only: Option<u32>,
    /// The limits of a process with a mutant.
    pub limits: MutantLimits,
}

/// The limits of a process with a mutant.
#[derive(Clone, Copy)]
pub struct MutantLimits {
    /// Steps, counted from the start of the work: iterations of loops and returns. Unlike time, they are the same on
    /// every machine.
    pub steps: u64,
    /// Processor time, for code that takes no steps.
    pub cpu: Duration,
    /// Time, for code that waits.
    pub wall: Duration,
    /// Memory.
    pub memory_bytes: u64,
    /// The size of a file.
    pub file_bytes: u64,
}

impl MutantLimits {
    /// The limits of the work without a mutant, which are none but memory.
    pub const NONE: MutantLimits = MutantLimits {
        steps: i64::MAX as u64,
        cpu: Duration::MAX,
        wall: Duration::MAX,
        memory_bytes: MEMORY_BYTES,
        file_bytes: FILE_BYTES_MIN,
    };

    /// The limits for work that takes this many steps, this much processor time, and writes this much without a mutant.
    pub fn of(steps: u64, cpu: Duration, output_bytes: u64) -> Self {
        MutantLimits {
            steps: steps.saturating_mul(20).max(STEPS_MIN),
            cpu: (cpu * 100).max(Duration::from_secs(2)),
            wall: (cpu * 500).max(Duration::from_secs(60)),
            memory_bytes: MEMORY_BYTES,
            file_bytes: output_bytes.saturating_mul(16).max(FILE_BYTES_MIN),
        }
    }
}

const STEPS_MIN: u64 = 100_000;
const MEMORY_BYTES: u64 = 1 << 30;
const FILE_BYTES_MIN: u64 = 1 << 20;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MutantExit {
    /// With the code of the work, or of the target.
    Code(u8),
    /// By a signal.
    Signal(i32),
    /// At a limit of steps or of time.
    Timeout,
    /// It has ended the process that waited for it.
    EndedParent,
    /// The system could not start it.
    NotStarted,
}

impl MutantExit {
    /// Reads a status of `wait`.
    fn of_status(status: i32) -> Self {
        match (libc::WIFSIGNALED(status), libc::WTERMSIG(status)) {
            // Those of the runtime when a limit is reached.
            (true, libc::SIGXCPU | libc::SIGPROF | libc::SIGALRM) => MutantExit::Timeout,
            (true, signal) => MutantExit::Signal(signal),
            (false, _) => MutantExit::Code(libc::WEXITSTATUS(status).to_le_bytes()[0]),
        }
    }
}

/// The result of work with mutants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitWork {
    /// How the process without a mutant ended, or that of the only one.
    pub exit: MutantExit,
    /// The processor time of all processes.
    pub cpu: Duration,
    /// The steps without a mutant.
    pub steps: u64,
    /// All wanted mutants that were reached, by number.
    pub ends: Vec<MutantEnd>,
}
