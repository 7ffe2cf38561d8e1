//! What many suites say together: the paper's questions, asked of run files.
//!
//! **The key design decision of this crate**: a result is a function from numbers that were measured
//! to a plain struct. Nothing here runs a target or prints, and randomness comes from a seed, so a
//! table can be made again from the same files, to the last digit.

mod comparison;
mod record;
mod sets;
pub mod statistics;

pub use comparison::{Against, Comparison, Group, Row, Sample, Sensitivity, Variation, compare};
pub use record::{ALL, Measurement, Record};
pub use sets::{Validated, side_by_side};
