//! Where the fault is that a pair shows: code ranked by suspicion.

mod edit;
mod token;
mod variant;

pub use variant::{Case, Place, Variant, variants};
