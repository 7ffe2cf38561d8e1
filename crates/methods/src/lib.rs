//! Methods: each makes tests in one input language.
//!
//! A subject makes the statements that build a random state, a relation derives a [`Test`](metacov_core::Test) over it: two
//! sides whose outcomes must agree, and how. The caller runs them and hands the outcomes to the test's judge:
//!
//! ```
//! use metacov_core::{Facts, Outcome, Pair, Rng, Verdict};
//! use metacov_methods::SQLITE;
//!
//! let mut rng = Rng::new(42);
//! let mut subject = SQLITE.subject(&Facts::from([("version".to_owned(), "3.45.0".to_owned())]));
//! while let Some(step) = subject.next_setup(&mut rng) {
//!     // Run `step.statement`, then say what came of it.
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
//! **The key design decision of this crate** is that soundness is made, not filtered: every query that is generated has
//! one right bag of rows, whatever the plan. The generator never asks for what SQL leaves open (the order of summing
//! reals, the representative of equal values, the rows that a LIMIT keeps, the time), and each such rule stands as
//! "Rule" where it is enforced. So a verdict of "violated" is worth looking at, and comparing is strict: whole rows, as
//! bags, without tolerance.
//!
//! The crate is pure: no input, no output, no clock. Everything is determined by a seed. It is a leaf: only the command
//! line and the targets depend on it.

mod calculator;
pub mod sql;

pub use calculator::CALCULATOR;
pub use sql::sqlite::SQLITE;
