//! The parts of LLVM's textual IR that mutants need. Everything else is left as it is.

mod instruction;
mod metadata;

pub(crate) use instruction::Instruction;
pub(crate) use metadata::{Metadata, Place};
