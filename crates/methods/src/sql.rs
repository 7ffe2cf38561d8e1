//! SQL: syntax trees, their text, relations over queries, and edits of statements as text.

mod ast;
pub mod duckdb;
mod features;
mod language;
mod method;
mod normal_form;
mod print;
mod reduce;
pub mod relations;
mod settings;
mod sides;
pub mod sqlite;
pub mod token;
mod variants;
