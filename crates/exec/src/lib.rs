//! One input in, one execution with its cover out.
//!
//! **The key design decision of this crate**: a target is never loaded into this process, and never
//! its child. Between the two stands a supervisor, a process that outlives neither: it starts the
//! target, ends all that comes from it, and does so too when metacov is gone. What the target
//! counts is in shared memory, and is read after its end. So nothing that it does can harm a
//! measurement: a crash or a hang is a value.
//!
//! Each worker thread of a fold has a [`ProcessRunner`], which runs the sides of groups.

mod arena;
mod capture;
mod child;
mod counters;
mod engine;
mod invocation;
mod load;
mod manifest;
mod message;
mod output;
mod pairs;
mod processor_time;
mod runner;
mod servant;
mod serve;
mod session;
mod snapshot;
mod supervise;
mod supervisor;
mod target;
mod worker;

pub use capture::{Capture, GcovCapture, Trace};
pub use child::{fix_addresses, give_back_memory, in_child, keep_memory};
pub use engine::{Artifact, Flavour, Mark, OpenOptions, Session, Target};
pub use invocation::Invocation;
pub use load::load;
pub use manifest::Executions;
pub use pairs::pairs_below;
pub use processor_time::processor_time;
pub use runner::ProcessRunner;
pub use servant::{HelperEvent, HelperPort, HelperProcess};
pub use snapshot::{LibraryMemory, MemoryMarks};
pub use supervise::supervise;
pub use target::{Limits, Mode, Program};
