//! A stored test, with the state that it runs on.

use serde::{Deserialize, Serialize};

use crate::{Input, Judge, Pair, Test};

/// A test and the setup that it runs on: what findings, replays, corpora and reducers exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The name of the relation.
    pub relation: String,
    /// What makes the state that both sides start from. A statement that fails is part of it.
    pub setup: Vec<String>,
    /// The inputs of each side.
    pub sides: Pair<Vec<Input>>,
    /// Texts that the sides are made up of, as [`Test::parts`]; none if that is not known.
    pub parts: Vec<String>,
    /// How the outcomes must relate.
    pub judge: Judge,
}

/// How large a case is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// In statements.
    pub statements: usize,
    /// In bytes, one more for each statement.
    pub bytes: usize,
}

impl Case {
    /// A test on a setup.
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

    /// How large it is.
    pub fn size(&self) -> Size {
        self.statements().fold(Size::default(), |size, text| Size {
            statements: size.statements + 1,
            bytes: size.bytes + text.len() + 1,
        })
    }
}
