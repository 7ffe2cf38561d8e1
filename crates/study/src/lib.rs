//! What can be learnt from pairs and what they ran: where a fault is.
//!
//! **The key design decision of this crate**: who runs statements is a closure. What is done with
//! what they ran is pure, so that a ranking can be tested with a handful of made-up covers.

pub mod corpus;
pub mod locate;
