//! A metamorphic test: the inputs of two sides, and how their outcomes must relate.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::{Judge, Pair};

/// What one execution runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Input {
    /// Run one after the other, from the same state; what they return is concatenated. In what form the target takes
    /// settings, such as switches of its optimiser, they are statements too.
    pub statements: Vec<String>,
}

impl Input {
    /// An input of one statement.
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
    /// Texts that the sides are made up of: changing one of them at all its places in both sides gives a test of the
    /// same relation.
    pub parts: Vec<Rc<str>>,
    /// The statement whose outcome tells how the target plans to run the test, if there is one.
    pub probe: Option<String>,
}

impl Test {
    /// A test whose sides are one input each.
    pub fn new(sides: Pair<Input>, judge: Judge, parts: Vec<Rc<str>>) -> Self {
        Self { sides: sides.map(|input| vec![input]), judge, parts, probe: None }
    }
}
