//! DuckDB: random databases and queries with types, relations over them, and the language of its
//! shell.

mod dialect;
mod function;
mod generate;
mod known_faults;
mod language;
mod method;
mod query_plan;
mod relations;
mod schema;
mod settings;
mod setup;
mod types;
mod variants;

pub use dialect::Dialect;
pub use method::DUCKDB;
pub use relations::{RELATIONS, Relation};
pub use schema::Schema;
pub use settings::{RESETS, is_setting};
pub use setup::{Database, Kind, Statement};

pub(crate) use generate::{Generator, Scope, Visible};
pub(crate) use types::Type;
