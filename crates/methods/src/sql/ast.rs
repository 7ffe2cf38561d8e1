//! SQL as a tree: expressions, queries, statements. Texts are made of it by `print`.

mod expr;
mod query;
mod statement;

pub use expr::*;
pub use query::*;
pub use statement::*;
