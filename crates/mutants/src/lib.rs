//! Mutants: small changes of a program, all of them compiled into one build, and each of them off until a test
//! sets it on. A relation that a mutant violates kills it.
//!
//! **The key design decision of this crate**: mutants are put into the textual IR of clang before it is optimised,
//! line by line. A line whose form is not known is left alone. So the only requirement is the compiler, no library
//! of LLVM, and one build serves all mutants.
//!
//! ```text
//! a.c ──clang──▶ IR with locations ──rewrite──▶ IR with mutants ──clang -O──▶ a.o ──▶ program with a table
//! ```

mod clang;
mod elf;
mod ir;
mod operator;
mod rewrite;
mod source;
mod table;
mod verdict;

pub use clang::{INSTRUMENTATION, SourceLanguage, compile};
pub use operator::Operator;
pub use table::{Mutant, MutantTable, TableError};
pub use verdict::MutantVerdict;
