//! SQL: syntax trees, their text, and edits of statements as text.

mod ast;
mod print;
pub mod reduce;
mod sides;
pub mod sqlite;
pub mod token;
