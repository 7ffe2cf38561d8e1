//! Workers: processes that derive tests, run them on a target that they have loaded, and report the
//! results.

pub(crate) mod answers;
pub(crate) mod batches;
pub(crate) mod bench;
pub(crate) mod cases;
pub(crate) mod host;
pub(crate) mod link;
pub(crate) mod main;
pub(crate) mod mutants;
mod mutated_inputs;
pub(crate) mod protocol;
pub(crate) mod setup;
#[cfg(any(test, feature = "scripted"))]
pub(crate) mod thread;
