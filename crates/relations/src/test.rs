//! A metamorphic test: two sides, and how their results must agree.

use std::rc::Rc;

use metacov_core::Pair;

use crate::comparison::Comparison;
use crate::outcome::{Outcome, Verdict};

/// A metamorphic test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// What is run.
    pub sides: Pair<Side>,
    /// How the results must agree.
    pub comparison: Comparison,
    /// Texts of which the sides are made up: what is changed in one of them at all its places in both sides leaves a
    /// test of the same relation.
    pub parts: Vec<Rc<str>>,
}

/// One side of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// Run one after the other, on the same database; the rows are those of all of them.
    pub statements: Vec<String>,
    /// The optimizations to switch off while they run, as `sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, ..)`
    /// takes them. `None` leaves the database system as it is.
    pub optimizations_off: Option<u32>,
}

impl Test {
    /// What the outcomes mean.
    pub fn judge(&self, outcomes: &Pair<Outcome>) -> Verdict {
        self.comparison.judge(outcomes)
    }
}

impl Side {
    /// A side of one statement, under the usual settings.
    pub fn of(statement: String) -> Self {
        Self { statements: vec![statement], optimizations_off: None }
    }
}
