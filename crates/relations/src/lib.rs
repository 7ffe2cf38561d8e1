//! Makes pairs and judges their outcomes.
//!
//! A [`Database`] makes the statements that build a random database, a [`Relation`] makes a [`Test`] over it: two sides
//! whose results must agree, and how. Whoever runs them says what came of it, and the test gives the [`Verdict`]:
//!
//! ```
//! use metacov_relations::{ALL, Database, Dialect, Outcome, Rng, Value, Verdict};
//! use metacov_core::Pair;
//!
//! let mut rng = Rng::new(42);
//! let mut database = Database::new(Dialect::SQLITE);
//! while let Some(statement) = database.next_statement(&mut rng) {
//!     // Run `statement.sql`, then say whether it worked.
//!     database.accept();
//! }
//! let norec = ALL[0];
//! let test = norec.derive(database.schema(), &mut rng);
//! // Run the statements of both sides, then hand in what they gave.
//! let failed = || Outcome::Error { code: 1, message: "no such table: t0".into() };
//! let verdict = test.judge(&Pair { a: failed(), b: failed() });
//! assert!(matches!(verdict, Verdict::Invalid(_)));
//! ```
//!
//! **The key design decision of this crate** is that soundness is made, not filtered: every query that is generated has
//! one right bag of rows, whatever the plan. The generator never asks for what SQL leaves open (the order of summing
//! reals, the representative of equal values, the rows that a LIMIT keeps, the time), and each such rule stands as
//! "Rule" where it is enforced. So a verdict of "violated" is worth looking at, and comparing is strict: whole rows, as
//! bags, without tolerance.
//!
//! The crate is pure: no input, no output, no clock. Everything is determined by a seed.

mod case;
mod comparison;
mod outcome;
mod relation;
mod rng;
mod sql;
mod success;
mod test;

pub use case::Case;
pub use comparison::Comparison;
pub use outcome::{Invalid, Outcome, Value, Verdict};
pub use relation::{ALL, Relation};
pub use rng::{Recipe, Rng};
pub use sql::reduce::{Reduction, reduce, reduce_queries, renumbered};
pub use sql::token;
pub use sql::{Database, Dialect, Kind, Schema, Statement};
pub use success::{Success, SuccessRates};
pub use test::{Side, Test};
