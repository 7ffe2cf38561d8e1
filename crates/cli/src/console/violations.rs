//! Pairs that violate their relation, as users are told of them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use metacov_core::{StoredInput, Violation};
use metacov_formats::Error;
use metacov_run::{GroupDone, Observer};

use crate::console::Console;
use crate::exit_code::ExitCode;

/// Keeps all pairs that violate their relation, by place.
#[derive(Default)]
pub struct Violations(Mutex<BTreeMap<u64, Violation>>);

impl Violations {
    /// All that were met.
    pub fn into_inner(self) -> BTreeMap<u64, Violation> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Violations {
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        if let Some(violation) = done.context.violation(done.relation, done.pair) {
            let mut violations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            violations.insert(done.place, violation);
        }
        Ok(())
    }
}

/// Tells all of them. A run that came to a good end otherwise has not, if there are any.
pub fn tell(violations: &BTreeMap<u64, Violation>, code: ExitCode, console: &Console) -> ExitCode {
    if violations.is_empty() {
        return code;
    }
    for Violation { relation, pair, how, inputs } in violations.values() {
        console.failure(&format!("violated: pair {pair} of {relation}: {how}"));
        for (side, inputs) in ('a'..='z').zip(inputs) {
            console.note(&format!("{side}: {}", inputs.iter().map(line).collect::<String>()));
        }
    }
    console.note("the databases: metacov gen sql, with the same options and seed");
    if code == ExitCode::Success { ExitCode::Violated } else { code }
}

/// An input in one line.
fn line(input: &StoredInput) -> String {
    String::from_utf8_lossy(&input.content).trim_end().replace('\n', " ")
}
