//! Pairs that violate their relation, in words.

use std::collections::BTreeMap;

use metacov_core::Violation;
use metacov_study::conduct::Message;

use crate::{Conclusion, Screen};

/// Where the pairs of a run come from, for a hint on how to see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairOrigin {
    /// They are generated from a seed.
    Generated,
    /// They are files of the user.
    Files,
}

/// Shows all of them.
pub fn show_violations(
    violations: &BTreeMap<u64, Violation>,
    origin: PairOrigin,
    screen: &dyn Screen,
) -> Conclusion {
    if violations.is_empty() {
        return Conclusion::Passed;
    }
    for Violation { relation, pair, how, inputs } in violations.values() {
        let what = format!("violated: pair {pair} of {relation}: {how}");
        screen.message(Message::Failure(what));
        for (side, inputs) in ('a'..='z').zip(inputs) {
            let texts = inputs.iter().map(|input| String::from_utf8_lossy(&input.content));
            let lines: String = texts.map(|text| text.trim_end().replace('\n', " ")).collect();
            screen.note(&format!("{side}: {lines}"));
        }
    }
    if origin == PairOrigin::Generated {
        screen.note(
            "to write the pairs to files, with what makes their databases: metacov gen TARGET --out \
             FOLDER, with the same --relation, --count, --databases and --seed",
        );
    }
    Conclusion::Violated
}
