//! SQL: trees, their text, and what can be done to statements as text.

mod ast;
mod print;
pub mod reduce;
mod sides;
pub mod sqlite;
pub mod token;
