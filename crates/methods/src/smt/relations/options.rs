//! `options`: a formula has the same answer under two configurations of the solver.

use std::collections::BTreeMap;

use metacov_core::{Input, Judge, Pair, Rng, Test};

use super::Derived;
use crate::smt::subject::Formulas;

/// Options that change how a solver works and not what it answers, by the name of the solver.
const OPTIONS: &[(&str, &[&str])] = &[
    (
        "z3",
        &[
            ":auto_config false",
            ":smt.arith.solver 2",
            ":smt.arith.solver 6",
            ":smt.case_split 1",
            ":smt.phase_selection 5",
            ":smt.random_seed 17",
            ":smt.relevancy 0",
            ":smt.restart_strategy 0",
        ],
    ),
    (
        "cvc4",
        &[
            ":incremental true",
            ":produce-models true",
            ":simplification none",
            ":decision internal",
        ],
    ),
    (
        "cvc5",
        &[
            ":incremental true",
            ":produce-models true",
            ":simplification none",
            ":decision internal",
        ],
    ),
];

/// Options of the standard, for other solvers.
const STANDARD: &[&str] = &[":produce-models true", ":random-seed 17", ":produce-assignments true"];

/// The most options that are set.
const OPTIONS_MAX: usize = 3;

pub(super) fn derive(formulas: &Formulas, rng: &mut Rng) -> Derived {
    let seed = formulas.any(rng);
    let known = OPTIONS.iter().find(|(solver, _)| *solver == formulas.solver());
    let mut options = rng.subset(known.map_or(STANDARD, |(_, options)| options), 1);
    options.truncate(OPTIONS_MAX);
    let plain = seed.commands(&BTreeMap::new());
    let mut configured: Vec<String> =
        options.iter().map(|option| format!("(set-option {option})")).collect();
    configured.extend(plain.iter().cloned());
    let sides = Pair { a: plain, b: configured };
    (Test::new(sides.map(Input::from), Judge::SameAnswer, Vec::new()), seed.label)
}
