//! A metamorphic test: the inputs of two sides, and how their outcomes must relate.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::{Judge, Pair};

/// The input of one execution.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Input {
    /// Statements that run one after the other, from the same state; their rows are concatenated.
    /// Settings of the target, such as switches of its optimiser, are statements too.
    pub statements: Vec<String>,
}

impl Input {
    /// Creates an input of one statement.
    pub fn of(statement: String) -> Self {
        Self { statements: vec![statement] }
    }
}

impl From<Vec<String>> for Input {
    fn from(statements: Vec<String>) -> Self {
        Self { statements }
    }
}

/// A metamorphic test, as a method derives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The inputs of each side. Several inputs are separate executions, whose covers are united.
    pub sides: Pair<Vec<Input>>,
    /// How the outcomes must relate.
    pub judge: Judge,
    /// Texts that occur in the sides: changing one of them in all its places in both sides gives a
    /// test of the same relation.
    pub parts: Vec<Rc<str>>,
    /// The statement whose outcome shows how the target plans to run the test, if there is one.
    pub probe: Option<String>,
}

impl Test {
    /// Creates a test whose sides are one input each.
    pub fn new(sides: Pair<Input>, judge: Judge, parts: Vec<Rc<str>>) -> Self {
        Self { sides: sides.map(|input| vec![input]), judge, parts, probe: None }
    }
}
