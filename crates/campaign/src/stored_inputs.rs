//! Inputs as run files store them.

use metacov_core::{Input, Language, Pair, StoredInput};

/// The inputs of both sides, as scripts.
pub(crate) fn stored(language: &dyn Language, sides: &Pair<Vec<Input>>) -> Vec<Vec<StoredInput>> {
    let input = |input: &Input| {
        StoredInput::new(String::new(), language.script(&input.statements).into_bytes())
    };
    [&sides.a, &sides.b].map(|side| side.iter().map(input).collect()).to_vec()
}
