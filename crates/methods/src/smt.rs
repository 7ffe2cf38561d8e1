//! SMT-LIB: formulas that are fused, weakened and strengthened.
//!
//! **The key design decision**: scripts stay text. A term is a span of it, and a relation replaces
//! spans, so what is not understood is passed on unchanged. Sorts are inferred as far as relations
//! need them; a term of an unknown sort is left alone.

mod analysis;
mod embedded;
mod fusion;
mod fusion_function;
mod injection;
mod label;
mod language;
mod literal;
mod mirror;
mod operator;
mod reduce;
mod relations;
mod rule;
mod scripts;
mod seed;
mod sort;
mod subject;
mod symbols;
mod tree;
#[cfg(test)]
mod yaspar;

pub use embedded::{FILES, texts};
pub use label::Label;
pub use scripts::{TestFiles, test_files};
pub use seed::{SEED_BYTES_MAX, Seed, Unusable};
pub use subject::{Formulas, SEED_FACT, SMT};
pub use tree::{Kind, NodeId, SyntaxError, Tree};

/// Returns a proof obligation for each rewrite rule and each inversion of a fusion function:
/// scripts that are unsatisfiable if it is valid, with a name each.
pub fn obligations() -> Vec<(String, String)> {
    [rule::obligations(), fusion_function::obligations()].concat()
}

pub use rule::refutations;
