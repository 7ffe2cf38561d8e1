//! A method for tests whose states, tests and outcomes are given.

use std::collections::BTreeSet;
use std::io;

use metacov_core::{
    Case, Effort, Facts, Input, Judge, Language, Method, Outcome, Pair, Reduction, RelationInfo,
    Rng, SetupStep, StillFails, Subject, Test, Variant,
};

/// Two relations over nothing.
pub(crate) struct Scripted;

impl Method for Scripted {
    fn relations(&self) -> &'static [RelationInfo] {
        const {
            &[
                RelationInfo { name: "same", about: "both sides return the same" },
                RelationInfo { name: "other", about: "both sides return the same, otherwise" },
            ]
        }
    }

    fn mutators(&self) -> &'static [&'static str] {
        &["one", "two"]
    }

    fn subject(&self, _: &Facts) -> Box<dyn Subject> {
        Box::new(Steps { left: 3 })
    }

    fn language(&self) -> &'static dyn Language {
        &Words
    }
}

/// So many steps that make a state.
struct Steps {
    left: usize,
}

impl Subject for Steps {
    fn next_setup(&mut self, rng: &mut Rng) -> Option<SetupStep> {
        self.left = self.left.checked_sub(1)?;
        Some(SetupStep { kind: "step", statement: format!("make {}", rng.below(10)) })
    }

    fn accept(&mut self, _: &Outcome) {}

    fn derive(&self, relation: usize, rng: &mut Rng) -> Test {
        let number = rng.below(1000);
        let side = |name: &str| Input::of(format!("{name} {relation} {number}"));
        Test::new(Pair { a: side("a"), b: side("b") }, Judge::Bag, Vec::new())
    }

    fn mutate(&mut self, _: usize) {
        self.left = 1;
    }
}

/// A language of words, a statement on each line.
pub(crate) struct Words;

impl Language for Words {
    fn extension(&self) -> &'static str {
        "txt"
    }

    fn script(&self, statements: &[String]) -> String {
        statements.iter().map(|statement| format!("{statement}\n")).collect()
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

    fn reduce(
        &self,
        case: &Case,
        _: Effort,
        _: usize,
        _: &mut StillFails<'_>,
    ) -> io::Result<Reduction> {
        Ok(Reduction { case: case.clone(), candidates: 0 })
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

    fn digest_probe(&self, _: &Outcome) -> Option<u64> {
        None
    }
}
