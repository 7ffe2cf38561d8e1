//! SQLite: random databases and queries, relations over them, and the language of its shell.

mod dialect;
mod function;
mod generate;
mod language;
mod method;
mod query_plan;
mod relations;
mod schema;
mod setup;
mod switches;
mod variants;
mod weights;

pub use dialect::Dialect;
pub use method::SQLITE;
pub use relations::{RELATIONS, Relation};
pub use schema::Schema;
pub use setup::{Database, Kind, Statement};
pub use switches::mask;

use super::ast;
pub(crate) use super::ast::*;
use super::print;
pub(crate) use super::print::{Print, printed};
pub(crate) use generate::{Generator, Scope};
pub(crate) use weights::percent;
