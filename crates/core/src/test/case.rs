//! A stored test, with the state that it runs on.

use serde::{Deserialize, Serialize};

use crate::{Input, Judge, Pair, Test};

/// A test and its setup. Findings, replays, corpora and reducers exchange cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The name of the relation.
    pub relation: String,
    /// The statements that build the state that both sides start from, including those that fail.
    pub setup: Vec<String>,
    /// The inputs of each side.
    pub sides: Pair<Vec<Input>>,
    /// Texts that occur in the sides, as [`Test::parts`]; empty if they are not known.
    pub parts: Vec<String>,
    /// How the outcomes must relate.
    pub judge: Judge,
}

/// The size of a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The number of statements.
    pub statements: usize,
    /// The number of bytes, plus one for each statement.
    pub bytes: usize,
}

impl Case {
    /// Creates a case from a test and its setup.
    pub fn of(relation: &str, setup: Vec<String>, test: &Test) -> Self {
        Case {
            relation: relation.to_owned(),
            setup,
            sides: test.sides.clone(),
            parts: test.parts.iter().map(ToString::to_string).collect(),
            judge: test.judge,
        }
    }

    /// All its statements: those of the setup, then those of the sides.
    pub fn statements(&self) -> impl Iterator<Item = &String> {
        let inputs = self.sides.a.iter().chain(&self.sides.b);
        self.setup.iter().chain(inputs.flat_map(|input| &input.statements))
    }

    /// Returns the size.
    pub fn size(&self) -> Size {
        self.statements().fold(Size::default(), |size, text| Size {
            statements: size.statements + 1,
            bytes: size.bytes + text.len() + 1,
        })
    }
}
