//! A language of words, one statement on each line.

use std::collections::BTreeSet;

use metacov_core::{
    Case, Effort, Language, Outcome, Reduction, ReductionStopped, StillFails, Value, Variant,
};

/// A language of words.
pub(crate) struct Words;

impl Language for Words {
    fn extension(&self) -> &'static str {
        "txt"
    }

    fn statements(&self, script: &str) -> Vec<String> {
        script.lines().map(ToOwned::to_owned).collect()
    }

    fn words(&self, statement: &str) -> Vec<String> {
        statement.split_whitespace().map(ToOwned::to_owned).collect()
    }

    fn reproducer(&self, case: &Case, heading: &[String]) -> String {
        self.script(heading) + &self.script(&case.setup)
    }

    /// Removes statements of the setup, and words of the sides, one at a time.
    fn reduce(
        &self,
        case: &Case,
        effort: Effort,
        candidates_max: usize,
        fails: &mut StillFails<'_>,
    ) -> Result<Reduction, ReductionStopped> {
        let (mut case, mut candidates, mut at) = (case.clone(), 0, 0);
        while candidates < candidates_max {
            let Some(smaller) = self.without(&case, effort, at) else { break };
            candidates += 1;
            if fails(std::slice::from_ref(&smaller))? == [true] {
                case = smaller;
            } else {
                at += 1;
            }
        }
        Ok(Reduction { case, candidates })
    }

    fn variants(&self, _: &Case, _: usize) -> Vec<Variant> {
        Vec::new()
    }

    fn features(&self, case: &Case, _: &BTreeSet<String>, _: bool) -> BTreeSet<String> {
        case.statements().flat_map(|statement| self.words(statement)).collect()
    }

    fn normal_form(&self, case: &Case) -> Vec<String> {
        case.statements().cloned().collect()
    }

    fn digest_probe(&self, outcome: &Outcome) -> Option<u64> {
        match outcome {
            Outcome::Rows(rows) => match rows.first()?.first()? {
                Value::Integer(number) => number.unsigned_abs().into(),
                _ => None,
            },
            Outcome::Error { .. } => None,
        }
    }
}

impl Words {
    /// The case without the part at a position; none if there are fewer parts.
    fn without(&self, case: &Case, effort: Effort, mut at: usize) -> Option<Case> {
        let mut case = case.clone();
        if effort == Effort::Whole {
            if at < case.setup.len() {
                case.setup.remove(at);
                return Some(case);
            }
            at -= case.setup.len();
        }
        let inputs = case.sides.a.iter_mut().chain(&mut case.sides.b);
        for statement in inputs.flat_map(|input| &mut input.statements) {
            let mut words = self.words(statement);
            if at < words.len() {
                words.remove(at);
                *statement = words.join(" ");
                return Some(case);
            }
            at -= words.len();
        }
        None
    }
}
