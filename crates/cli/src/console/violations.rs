//! Reports pairs that violate their relation to users.

use std::collections::BTreeMap;

use metacov_core::Violation;

use crate::console::Console;
use crate::exit_code::ExitCode;

/// Where the pairs of a run come from, for a hint on how to see them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PairOrigin {
    /// They are generated from a seed.
    Generated,
    /// They are files of the user.
    Files,
}

/// Reports all of them. A run with violations does not end with success.
pub fn report(
    violations: &BTreeMap<u64, Violation>,
    origin: PairOrigin,
    code: ExitCode,
    console: &Console,
) -> ExitCode {
    if violations.is_empty() {
        return code;
    }
    for Violation { relation, pair, how, inputs } in violations.values() {
        console.failure(&format!("violated: pair {pair} of {relation}: {how}"));
        for (side, inputs) in ('a'..='z').zip(inputs) {
            let texts = inputs.iter().map(|input| String::from_utf8_lossy(&input.content));
            let lines: String = texts.map(|text| text.trim_end().replace('\n', " ")).collect();
            console.note(&format!("{side}: {lines}"));
        }
    }
    if origin == PairOrigin::Generated {
        console.note(
        "to write the pairs to files, with what makes their databases: metacov gen TARGET --out \
         FOLDER, with the same --relation, --count, --databases and --seed",
    );
    }
    if code == ExitCode::Success { ExitCode::Violated } else { code }
}
