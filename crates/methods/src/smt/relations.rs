//! The relations between formulas.

mod options;
mod sae;
mod yinyang_sat;
mod yinyang_unsat;

use std::collections::BTreeMap;

use metacov_core::{Input, Judge, Pair, RelationInfo, Rng, Test};

use super::fusion::{Fused, fuse};
use super::label::Label;
use super::subject::Formulas;

/// A relation: what it is, and how a test of it is derived.
pub(super) struct Relation {
    pub(super) info: RelationInfo,
    pub(super) derive: fn(&Formulas, &mut Rng) -> Derived,
}

/// A test, and the right answer to all its inputs, if it is known.
pub(super) type Derived = (Test, Option<Label>);

/// All relations. Append only: the position of a relation is mixed into the seeds of its tests.
pub(super) const RELATIONS: &[Relation] = &[
    Relation {
        info: RelationInfo {
            name: "yinyang-sat",
            about: "the fusion of two satisfiable formulas is satisfiable",
        },
        derive: yinyang_sat::derive,
    },
    Relation {
        info: RelationInfo {
            name: "yinyang-unsat",
            about: "the fusion of two unsatisfiable formulas is unsatisfiable",
        },
        derive: yinyang_unsat::derive,
    },
    Relation {
        info: RelationInfo {
            name: "sae",
            about: "a weaker formula is satisfiable if the formula is, and a stronger one only if it is",
        },
        derive: sae::derive,
    },
    Relation {
        info: RelationInfo {
            name: "options",
            about: "a formula has the same answer under two configurations of the solver",
        },
        derive: options::derive,
    },
];

/// A test of two formulas with this label and their fusion.
fn fused_test(formulas: &Formulas, label: Label, judge: Judge, rng: &mut Rng) -> Derived {
    let (first, second) = formulas.pair(label, rng);
    // A formula always shares a sort with itself.
    let fused = fuse(first, second, label, rng).or_else(|| fuse(first, first, label, rng));
    let Fused { first, second, fusion } = fused.unwrap_or_else(|| {
        let commands = first.commands(&BTreeMap::new());
        Fused { first: commands.clone(), second: commands.clone(), fusion: commands }
    });
    let sides = Pair { a: vec![first.into(), second.into()], b: vec![Input::from(fusion)] };
    (Test { sides, judge, parts: Vec::new(), probe: None }, Some(label))
}
