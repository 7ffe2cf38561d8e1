//! Relations between formulas, on solvers that `scripts/oracles` installs.

mod solver;
mod soundness;

use std::time::Duration;

use metacov_core::{
    Case, Effort, Facts, Judge, Language, Outcome, Pair, Rng, Test, Value, Verdict,
};
use metacov_methods::SMT;
use metacov_methods::smt::{Seed, obligations, refutations, texts};

use solver::{CVC4, CVC5, LOST, Solver, Z3};

const BOTH: [Solver; 2] = [Z3, CVC5];

/// How many tests of each relation are checked.
const TESTS: u64 = 30;

/// The longest time for a proof: the slowest takes a second.
const PROOF_TIME: Duration = Duration::from_secs(10);

/// The longest time for an input of a test. Few need more, and they are not needed.
const TEST_TIME: Duration = Duration::from_secs(2);

/// The answers of the solvers: `sat` and `unsat`, without those that are no decision.
fn decided(solvers: &[Solver], scripts: &[(String, String)]) -> Vec<(String, Vec<String>)> {
    let all: Vec<Vec<String>> = solvers
        .iter()
        .map(|solver| {
            let scripts: Vec<&str> = scripts.iter().map(|(_, script)| script.as_str()).collect();
            let answers = solver.answers(&scripts, PROOF_TIME);
            let is_there = answers.iter().any(|answer| answer != LOST);
            assert!(is_there, "{}: run scripts/oracles", solver.name);
            answers
        })
        .collect();
    let of = |at: usize| {
        let answers = all.iter().map(|answers| answers[at].clone());
        answers.filter(|answer| ["sat", "unsat"].contains(&answer.as_str())).collect()
    };
    scripts.iter().enumerate().map(|(at, (name, _))| (name.clone(), of(at))).collect()
}

/// cvc4 decides the order of strings best, and does not support floating-point numbers.
#[test]
fn every_rule_and_every_inversion_is_proven() {
    let is_float = |(name, _): &(String, String)| name.starts_with("(_ FloatingPoint");
    let (floats, others): (Vec<_>, Vec<_>) = obligations().into_iter().partition(is_float);
    let answers = [decided(&[Z3, CVC5], &floats), decided(&[Z3, CVC4], &others)].concat();
    for (name, answers) in &answers {
        assert!(!answers.is_empty(), "{name}: not decided");
        assert!(answers.iter().all(|answer| answer == "unsat"), "{name}: {answers:?}");
    }
}

#[test]
fn rules_that_are_not_valid_are_refuted() {
    for (name, answers) in decided(&BOTH, &refutations()) {
        assert_eq!(answers, ["sat", "sat"], "{name}");
    }
}

/// Two products whose second factors are zero: the quotient by zero would need two values.
#[test]
fn two_products_are_not_sound_in_a_satisfiable_fusion() {
    let seed = "(declare-const x Real) (declare-const y Real) (assert (and (= x 1.0) (= y 0.0)))";
    let both = "(declare-const u Real) (declare-const v Real) (assert (and (= u 2.0) (= v 0.0)))";
    let fused = "(declare-const p Real) (declare-const q Real) (declare-const c Real) (declare-const d Real)
        (declare-const e Real) (declare-const f Real) (assert (and (= c 0.0) (= d 0.0)))
        (assert (and (= (/ p c) 1.0) (= (/ q d) 2.0) (= p 0.0) (= q 0.0)))";
    let script = |text: &str| (String::new(), format!("(set-logic ALL) {text} (check-sat)"));
    let answers = decided(&BOTH, &[script(seed), script(both), script(fused)]);
    let answers: Vec<&Vec<String>> = answers.iter().map(|(_, answers)| answers).collect();
    assert_eq!(answers, [&["sat", "sat"], &["sat", "sat"], &["unsat", "unsat"]]);
}

#[test]
fn labels_of_the_embedded_seeds_are_right() {
    let scripts = texts();
    let answers = decided(&BOTH, &scripts);
    for ((name, script), (_, answers)) in scripts.iter().zip(&answers) {
        let label = Seed::read(name, script).unwrap().label.unwrap();
        assert!(!answers.is_empty(), "{name}: not decided");
        assert!(answers.iter().all(|answer| answer == label.answer()), "{name}: {answers:?}");
    }
    let by_both = answers.iter().filter(|(_, answers)| answers.len() == 2).count();
    assert!(by_both + 2 >= scripts.len(), "{by_both} of {} by both", scripts.len());
}

/// `METACOV_SMT_TESTS=1000 cargo test -p metacov-methods --test on_solvers` for more tests.
#[test]
fn relations_hold_on_both_solvers() {
    let count = std::env::var("METACOV_SMT_TESTS").ok().and_then(|count| count.parse().ok());
    for (at, relation) in SMT.relations().iter().enumerate() {
        let subject = SMT.subject(&Facts::from([("solver".to_owned(), "z3".to_owned())]));
        let tests: Vec<Test> = (0..count.unwrap_or(TESTS))
            .map(|number| subject.derive(at, &mut Rng::new(number)))
            .collect();
        // The options are those of z3.
        let solvers: &[Solver] = if relation.name == "options" { &[Z3] } else { &[Z3, CVC5] };
        for solver in solvers {
            let verdicts = verdicts(solver, &tests);
            for (test, verdict) in tests.iter().zip(&verdicts) {
                let is_violated = matches!(verdict, Verdict::Violated(_));
                assert!(
                    !is_violated,
                    "{} {}: {verdict:?}: {:#?}",
                    solver.name, relation.name, test.sides
                );
            }
            let judged = verdicts.iter().filter(|verdict| **verdict == Verdict::Holds).count();
            assert!(
                judged * 2 > tests.len(),
                "{} decides {judged} of {} tests of {}: {verdicts:?}",
                solver.name,
                tests.len(),
                relation.name
            );
        }
    }
}

/// Reduces with random decisions, so that all kinds of edits are combined.
#[test]
fn reductions_stay_within_the_relation() {
    for (at, relation) in SMT.relations().iter().enumerate() {
        let subject = SMT.subject(&Facts::new());
        let reduced = |number: u64| {
            let test = subject.derive(at, &mut Rng::new(number));
            let Test { sides, judge, .. } = test.clone();
            let (setup, parts) = (Vec::new(), Vec::new());
            let case = Case { relation: relation.name.to_owned(), setup, sides, parts, judge };
            let mut rng = Rng::new(number);
            let mut fails = |cases: &[Case]| Ok(cases.iter().map(|_| rng.chance(5)).collect());
            let reduction = SMT.language().reduce(&case, Effort::Whole, 60, &mut fails);
            Test { sides: reduction.unwrap().case.sides, ..test }
        };
        let tests: Vec<Test> = (0..TESTS).map(reduced).collect();
        let verdicts = verdicts(&Z3, &tests);
        for (test, verdict) in tests.iter().zip(&verdicts) {
            let is_violated = matches!(verdict, Verdict::Violated(_));
            assert!(!is_violated, "{}: {verdict:?}: {:#?}", relation.name, test.sides);
        }
        let judged = verdicts.iter().filter(|verdict| **verdict == Verdict::Holds).count();
        // A reduced seed need not have its label, and then nothing is judged.
        assert!(judged * 10 > tests.len(), "{}: {verdicts:?}", relation.name);
    }
}

fn verdicts(solver: &Solver, tests: &[Test]) -> Vec<Verdict> {
    let language: &dyn Language = SMT.language();
    let inputs = tests.iter().flat_map(|test| test.sides.a.iter().chain(&test.sides.b));
    let scripts: Vec<String> = inputs.map(|input| language.script(&input.statements)).collect();
    let scripts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    let answers = solver.answers(&scripts, TEST_TIME);
    let mut answers = answers.iter().map(|answer| outcome(answer));
    let mut side = |count: usize| -> Vec<Outcome> { answers.by_ref().take(count).collect() };
    let judge = |test: &Test| {
        let (a, b) = (side(test.sides.a.len()), side(test.sides.b.len()));
        test.judge.judge(&Pair { a, b })
    };
    tests.iter().map(judge).collect()
}

fn outcome(answer: &str) -> Outcome {
    match answer {
        "sat" | "unsat" | "unknown" => {
            Outcome::Rows(vec![vec![Value::Text(answer.as_bytes().to_vec())]])
        }
        "timeout" | "" | LOST => outcome("unknown"),
        other => Outcome::Error { code: 1, message: other.to_owned() },
    }
}

#[test]
fn judges_of_formulas_need_a_decision() {
    let sides = Pair { a: vec![outcome("sat")], b: vec![outcome("(error \"no\")\nunsat")] };
    assert!(matches!(Judge::WeakerAnswer.judge(&sides), Verdict::Invalid(_)));
}
