//! SQL: syntax trees, their text, relations over queries, and edits of statements as text.

mod ast;
pub mod duckdb;
mod features;
mod normal_form;
mod print;
pub mod reduce;
pub mod relations;
mod sides;
pub mod sqlite;
pub mod token;
