//! One input in, one execution with its cover out.
//!
//! **The key design decision of this crate**: a target is never loaded into metacov's process, and
//! never its child. Between the two is a supervisor process, which starts the target and ends all
//! its descendants, also when metacov has been killed. The target counts in shared memory, which is
//! read after its end. So nothing that a target does can harm a measurement: a crash or a hang is a
//! value.
//!
//! Each worker thread of a fold has a [`ProcessRunner`], which runs the sides of groups.

mod arena;
mod capture;
mod counters;
mod error;
mod manifest;
mod mutants;
mod pairs;
mod process;
mod session;
mod snapshot;
mod target;

pub use capture::{Capture, GcovCapture, Trace};
pub use error::ExecError;
pub use manifest::Executions;
pub use mutants::{
    MutantEnd, MutantExit, MutantLimits, MutantOutput, MutantPlan, MutantRuntime, MutatedProgram,
    MutatedRun, SplitWork,
};
pub use pairs::pairs_below;
pub use process::contained::{ContainedRun, end_by, run_forked, run_program};
pub use process::cpu_time::{processor_time, used_processor_time};
pub use process::fork::{fix_addresses, give_back_memory, in_child, keep_memory};
pub use process::helper::{
    ALLOCATOR_VARIABLE, HelperEvent, HelperPort, HelperProcess, LARGE_PAGES, require_metacov,
    shared_file,
};
pub use process::limits::Limits;
pub use process::not_run::NotRun;
pub use process::supervisor_main::supervise;
pub use session::{
    Invocation, JudgeCommand, Mode, ProcessRunner, Program, SideReading, SideRun, TakenSide,
    code_files, find_program, load,
};
pub use snapshot::{LibraryMemory, MemoryMarks};
pub use target::{
    Artifact, BuildOptions, Flavour, GcovProgram, InputProcesses, Mark, OpenOptions, Session,
    Target,
};
