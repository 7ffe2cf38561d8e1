//! SQL as a syntax tree: expressions, queries, statements. `print` converts it to text.

mod expr;
mod query;
mod statement;

pub use expr::*;
pub use query::*;
pub use statement::*;
