//! The parts of LLVM's textual IR that mutants need. Everything else is left as it is.

mod instruction;
mod jumps;
mod metadata;

pub(crate) use instruction::Instruction;
pub(crate) use jumps::Jumps;
pub(crate) use metadata::{Metadata, Place};
