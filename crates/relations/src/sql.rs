//! SQL databases and queries, made at random from a seed.

mod ast;
mod database;
mod dialect;
mod function;
mod generate;
mod print;
pub mod reduce;
mod schema;
pub mod token;
mod weights;

pub use database::{Database, Kind, Statement};
pub use dialect::Dialect;
pub use schema::Schema;

pub(crate) use ast::*;
pub(crate) use generate::{Generator, Scope};
pub(crate) use print::{Print, printed};
pub(crate) use weights::percent;
