//! Processes: started under a supervisor, limited, and ended with all their descendants.

pub(crate) mod captured_output;
pub(crate) mod contained;
pub(crate) mod cpu_time;
pub(crate) mod fork;
pub(crate) mod helper;
pub(crate) mod limits;
pub(crate) mod not_run;
mod spawn;
pub(crate) mod supervisor;
pub(crate) mod supervisor_main;
pub(crate) mod wire;
