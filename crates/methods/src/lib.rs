//! Methods: each generates tests in one input language.
//!
//! A subject generates the statements that build a random state, and a relation derives a
//! [`Test`](metacov_core::Test) on it: two sides, and a judge that says how their outcomes must
//! agree. The caller runs both sides and passes the outcomes to the judge:
//!
//! ```
//! use metacov_core::{Facts, Outcome, Pair, Rng, Verdict};
//! use metacov_methods::SQLITE;
//!
//! let mut rng = Rng::new(42);
//! let mut subject = SQLITE.subject(&Facts::from([("version".to_owned(), "3.45.0".to_owned())]));
//! while let Some(step) = subject.next_setup(&mut rng) {
//!     // Run `step.statement`, then report its outcome.
//!     subject.accept(&Outcome::Rows(Vec::new()));
//! }
//! assert_eq!(SQLITE.relations()[0].name, "norec");
//! let test = subject.derive(0, &mut rng);
//! // Run the inputs of both sides, then judge the outcomes.
//! let failed = || vec![Outcome::Error { code: 1, message: "no such table: t0".into() }];
//! let verdict = test.judge.judge(&Pair { a: failed(), b: failed() });
//! assert!(matches!(verdict, Verdict::Invalid(_)));
//! ```
//!
//! **The key design decision of this crate** is that soundness is made, not filtered: every
//! generated query has one correct bag of rows, whatever the plan. The generator never asks for
//! what SQL leaves open (the order of summing reals, the representative of equal values, the rows
//! that a LIMIT keeps, the time), and each such rule is marked "Rule" where it is enforced. So
//! every verdict of "violated" deserves an examination, and the comparison is strict: whole rows,
//! as bags, without tolerance.
//!
//! The crate is pure: no input, no output, no clock. Everything is determined by a seed. It is a
//! leaf: only the command line and the targets depend on it.

mod calculator;
pub mod smt;
pub mod sql;

pub use calculator::CALCULATOR;
pub use smt::SMT;
pub use sql::duckdb::DUCKDB;
pub use sql::sqlite::SQLITE;
