//! The targets that can be tested: how each is found, built, cached and opened.
//!
//! **The key design decision of this crate**: it is a leaf. The code that runs tests is passed
//! [`ALL`] and knows no target by name, so a new target is a folder here, a line in `ALL`, and
//! nothing else.

mod builder;
mod cache;
mod calculator;
pub mod cc;
mod cmake;
mod debian;
mod duckdb;
pub mod gcc;
mod mutated;
mod package;
mod project;
mod sdist;
pub mod smt;
pub mod sqlite;
mod wheel;

use metacov_exec::Target;

/// All targets.
pub const ALL: &[&dyn Target] = &[
    &sqlite::Sqlite,
    &calculator::Calculator,
    &duckdb::Duckdb,
    &smt::Z3,
    &smt::CVC4,
    &smt::BOOLECTOR,
    &smt::INSTALLED,
];
