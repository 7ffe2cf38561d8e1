//! The two sides of a stored test, and where the terms of one are in the other.
//!
//! Side b is made from side a by replacing terms, so both have the same shape elsewhere. A change
//! that is made in the same place of both gives a test of the same relation.

use metacov_core::{Case, Input, Judge, Pair};

use super::seed::Seed;
use super::tree::{Kind, NodeId};

/// The formulas of a test, and the pairs of terms that correspond.
pub(super) struct Mirror {
    pub(super) a: Vec<Seed>,
    pub(super) b: Seed,
    /// The assertions of side a, each with its term in side b.
    pub(super) assertions: Vec<MirroredTerm>,
    pub(super) judge: Judge,
}

/// A term of an input of side a, and the one of side b that was made from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MirroredTerm {
    pub(super) input: usize,
    pub(super) a: NodeId,
    pub(super) b: NodeId,
}

/// Which formula, from side a by position, or side b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    A(usize),
    B,
}

/// Changes of nodes in the formulas of a test. An empty text removes a command.
pub(super) type Edits = Vec<(Place, NodeId, String)>;

impl Mirror {
    /// Reads a test. None if it does not have the shape of its relation.
    pub(super) fn of(case: &Case) -> Option<Self> {
        let read = |input: &Input| Seed::read("", &input.statements.join("\n")).ok();
        let a: Vec<Seed> = case.sides.a.iter().map(read).collect::<Option<_>>()?;
        let [b] = &case.sides.b[..] else { return None };
        let b = read(b)?;
        let terms = match case.judge {
            Judge::Unsat => disjoined(&a, &b)?,
            _ => b.assertions.clone(),
        };
        let of_a = a.iter().enumerate().flat_map(|(input, seed)| {
            seed.assertions.iter().map(move |&assertion| (input, assertion))
        });
        let of_a: Vec<(usize, NodeId)> = of_a.collect();
        if of_a.len() != terms.len() {
            return None;
        }
        let assertions = of_a.into_iter().zip(terms);
        let assertions = assertions.map(|((input, a), b)| MirroredTerm { input, a, b }).collect();
        Some(Mirror { a, b, assertions, judge: case.judge })
    }

    /// Returns all corresponding terms, the larger ones first within an assertion. Terms below one
    /// that was replaced have no counterparts.
    pub(super) fn terms(&self) -> Vec<MirroredTerm> {
        let mut all = Vec::new();
        let mut open: Vec<MirroredTerm> = self.assertions.iter().rev().copied().collect();
        while let Some(term) = open.pop() {
            all.push(term);
            if self.is_same_shape(term) {
                let (a, b) = (&self.a[term.input].tree, &self.b.tree);
                let children = a.children(term.a).zip(b.children(term.b)).skip(1);
                let children: Vec<_> = children.collect();
                open.extend(children.into_iter().rev().map(|(a, b)| MirroredTerm { a, b, ..term }));
            }
        }
        all
    }

    /// Whether both terms are lists of the same length with the same first word.
    pub(super) fn is_same_shape(&self, term: MirroredTerm) -> bool {
        let (a, b) = (&self.a[term.input].tree, &self.b.tree);
        a.kind(term.a) == Kind::List
            && b.kind(term.b) == Kind::List
            && a.head(term.a) == b.head(term.b)
            && a.children(term.a).count() == b.children(term.b).count()
    }

    /// Whether both terms have the same text.
    pub(super) fn is_same(&self, term: MirroredTerm) -> bool {
        self.a[term.input].tree.text(term.a) == self.b.tree.text(term.b)
    }

    /// Returns the inputs with some nodes changed.
    pub(super) fn edited(&self, edits: &Edits) -> Pair<Vec<Input>> {
        let input = |place: Place, seed: &Seed| {
            let mut of_place: Vec<(NodeId, &str)> = edits
                .iter()
                .filter(|(at, ..)| *at == place)
                .map(|(_, node, text)| (*node, text.as_str()))
                .collect();
            of_place.sort_by_key(|(node, _)| *node);
            let commands = seed.tree.roots().map(|root| {
                let inside =
                    of_place.iter().filter(|(node, _)| seed.tree.subtree(root).contains(node));
                seed.tree.edited(root, inside.copied())
            });
            Input::from(commands.filter(|text| !text.is_empty()).collect::<Vec<String>>())
        };
        let a = self.a.iter().enumerate().map(|(at, seed)| input(Place::A(at), seed));
        Pair { a: a.collect(), b: vec![input(Place::B, &self.b)] }
    }

    pub(super) fn seed(&self, place: Place) -> &Seed {
        match place {
            Place::A(input) => &self.a[input],
            Place::B => &self.b,
        }
    }

    pub(super) fn places(&self) -> impl Iterator<Item = Place> {
        (0..self.a.len()).map(Place::A).chain([Place::B])
    }
}

/// The terms of an unsatisfiable fusion, `(or FIRST SECOND)`, where a formula with several
/// assertions is `(and ...)`.
fn disjoined(a: &[Seed], b: &Seed) -> Option<Vec<NodeId>> {
    let tree = &b.tree;
    let either = *b.assertions.first()?;
    let formulas: Vec<NodeId> = tree.children(either).skip(1).collect();
    if tree.head(either) != Some("or") || formulas.len() != a.len() {
        return None;
    }
    let mut terms = Vec::new();
    for (&formula, seed) in formulas.iter().zip(a) {
        if seed.assertions.len() == 1 {
            terms.push(formula);
        } else {
            terms.extend(tree.children(formula).skip(1));
        }
    }
    Some(terms)
}
