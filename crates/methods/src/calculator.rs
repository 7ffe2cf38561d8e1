//! The calculator of `docs/adding-a-target.md`: a small but complete method.

mod expression;
mod language;

use metacov_core::{
    Facts, Input, Judge, Language, Method, Outcome, Pair, RelationInfo, Rng, SetupStep, Subject,
    Test,
};

use expression::expression;
use language::Expressions;

/// Variables and expressions over them.
pub const CALCULATOR: &dyn Method = &Calculator;

struct Calculator;

const RELATIONS: &[RelationInfo] = &[
    RelationInfo { name: "swap", about: "a sum is the same with its operands swapped" },
    RelationInfo { name: "distribute", about: "a product with a sum is the sum of two products" },
    RelationInfo {
        name: "optimiser",
        about: "an expression has the same value without the optimiser",
    },
];

impl Method for Calculator {
    fn relations(&self) -> &'static [RelationInfo] {
        RELATIONS
    }

    fn mutators(&self) -> &'static [&'static str] {
        &["define", "redefine"]
    }

    fn subject(&self, _: &Facts) -> Box<dyn Subject> {
        Box::new(Variables { count: 0, planned: 3, redefines: false })
    }

    fn language(&self) -> &'static dyn Language {
        &Expressions
    }
}

/// Variables `v0`, `v1` and so on.
struct Variables {
    count: usize,
    /// How many definitions are still to come.
    planned: usize,
    /// Whether they redefine existing variables.
    redefines: bool,
}

impl Subject for Variables {
    fn next_setup(&mut self, rng: &mut Rng) -> Option<SetupStep> {
        self.planned = self.planned.checked_sub(1)?;
        let value = expression(rng, self.count, 1);
        let (kind, at) = if self.redefines && self.count > 0 {
            ("redefine", rng.below(self.count))
        } else {
            ("define", self.count)
        };
        Some(SetupStep { kind, statement: format!("let v{at} = {value}") })
    }

    fn accept(&mut self, outcome: &Outcome) {
        if outcome.is_success() && !self.redefines {
            self.count += 1;
        }
    }

    fn derive(&self, relation: usize, rng: &mut Rng) -> Test {
        let mut operand = || expression(rng, self.count, 2);
        let [a, b, c] = [operand(), operand(), operand()];
        let (first, second) = match relation {
            0 => (vec![format!("{a} + {b}")], vec![format!("{b} + {a}")]),
            1 => (vec![format!("{a} * ({b} + {c})")], vec![format!("{a} * {b} + {a} * {c}")]),
            _ => (vec![a.clone()], vec!["optimise 0".to_owned(), a.clone()]),
        };
        let parts = [a, b, c].into_iter().filter(|part| {
            let occurs = |side: &[String]| side.iter().any(|text| text.contains(part.as_str()));
            occurs(&first) && occurs(&second)
        });
        let parts = parts.map(Into::into).collect();
        let sides = Pair { a: first, b: second }.map(|statements| Input { statements });
        Test::new(sides, Judge::Bag, parts)
    }

    fn mutate(&mut self, mutator: usize) {
        (self.planned, self.redefines) = (1, mutator == 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_deterministic_and_relations_differ() {
        let made = || {
            let mut rng = Rng::new(7);
            let mut subject = CALCULATOR.subject(&Facts::new());
            let mut setup = Vec::new();
            while let Some(step) = subject.next_setup(&mut rng) {
                subject.accept(&Outcome::Rows(Vec::new()));
                setup.push(step.statement);
            }
            let tests: Vec<Test> = (0..3).map(|at| subject.derive(at, &mut rng)).collect();
            (setup, tests)
        };
        let (setup, tests) = made();
        assert_eq!(made(), (setup.clone(), tests.clone()));
        assert_eq!(setup.len(), 3);
        assert!(setup[2].starts_with("let v2 = "), "{setup:?}");
        assert_eq!(tests[2].sides.b[0].statements[0], "optimise 0");
        assert!(tests.iter().all(|test| !test.parts.is_empty()), "{tests:?}");
    }
}
