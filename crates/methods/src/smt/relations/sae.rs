//! `sae`: a formula, and a weaker or a stronger one (skeletal approximation enumeration).
//!
//! Some atoms are replaced by weaker or stronger ones, according to their polarity: where a weaker
//! atom makes the formula stronger, the other direction is taken. So there is no conversion to
//! clauses, and the first side is the formula as it is.

use std::collections::BTreeMap;

use metacov_core::{Input, Judge, Pair, Rng, Test};

use super::Derived;
use crate::smt::analysis::Polarity;
use crate::smt::fusion::shuffle;
use crate::smt::injection::predicate;
use crate::smt::label::Label;
use crate::smt::rule::{Direction, RULES, Rule};
use crate::smt::seed::Seed;
use crate::smt::sort::Sort;
use crate::smt::subject::Formulas;
use crate::smt::tree::{Kind, NodeId};

/// The most atoms that are replaced.
const ATOMS_MAX: usize = 5;

pub(super) fn derive(formulas: &Formulas, rng: &mut Rng) -> Derived {
    let seed = formulas.with_atoms(rng);
    let direction = match seed.label {
        Some(Label::Sat) => Direction::Weaker,
        Some(Label::Unsat) => Direction::Stronger,
        None => *rng.pick(&[Direction::Weaker, Direction::Stronger]),
    };
    let edits = approximated(seed, direction, rng);
    let sides = Pair { a: seed.commands(&BTreeMap::new()), b: seed.commands(&edits) };
    let judge = match direction {
        Direction::Weaker => Judge::WeakerAnswer,
        Direction::Stronger => Judge::StrongerAnswer,
    };
    (Test::new(sides.map(Input::from), judge, Vec::new()), seed.label)
}

/// Replacements of some atoms that all make the formula weaker, or all stronger.
fn approximated(seed: &Seed, direction: Direction, rng: &mut Rng) -> BTreeMap<NodeId, String> {
    let mut atoms = seed.analysis.atoms.clone();
    shuffle(&mut atoms, rng);
    let count = rng.between(1, ATOMS_MAX.min(atoms.len()));
    let constants = seed.constants();
    let replacement = |node: NodeId, polarity: Polarity| {
        let direction = match polarity {
            Polarity::Negative => direction.opposite(),
            Polarity::Positive | Polarity::Mixed => direction,
        };
        let transformed =
            if rng.chance(50) { transformed(seed, node, direction, rng) } else { None };
        transformed.unwrap_or_else(|| {
            let connective = if direction == Direction::Weaker { "or" } else { "and" };
            let injected = predicate(&constants, rng);
            format!("({connective} {} {injected})", seed.tree.text(node))
        })
    };
    let mut replacement = replacement;
    let chosen = atoms.into_iter().take(count);
    chosen.map(|atom| (atom.node, replacement(atom.node, atom.polarity))).collect()
}

/// Transforms an atom by a rule, if there is one for it.
fn transformed(seed: &Seed, atom: NodeId, direction: Direction, rng: &mut Rng) -> Option<String> {
    let tree = &seed.tree;
    // An attribute may name a term, and a rule may use it twice.
    if tree.subtree(atom).any(|node| tree.kind(node) == Kind::Keyword) {
        return None;
    }
    let mut parts = tree.children(atom);
    let (head, x, y) = (parts.next()?, parts.next()?, parts.next()?);
    let (predicate, sort) = (tree.symbol(head)?, seed.analysis.sorts[x]);
    let is_binary = parts.next().is_none() && sort == seed.analysis.sorts[y];
    let is_redefined = seed.symbols.introduced.contains(predicate);
    if !is_binary || is_redefined || sort == Sort::Unknown {
        return None;
    }
    let rules: Vec<&Rule> =
        RULES.iter().filter(|rule| rule.applies(predicate, sort, direction)).collect();
    let rule = (!rules.is_empty()).then(|| *rng.pick(&rules))?;
    Some(rule.apply(tree.text(x), tree.text(y), sort, rng))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(text: &str) -> Seed {
        Seed::read("seed", text).unwrap()
    }

    /// All that one atom of a formula is replaced by.
    fn replacements(text: &str, direction: Direction) -> Vec<String> {
        let seed = seed(text);
        let all = (0..300).flat_map(|at| {
            approximated(&seed, direction, &mut Rng::new(at)).into_values().collect::<Vec<_>>()
        });
        all.collect()
    }

    #[test]
    fn an_atom_below_a_negation_is_replaced_in_the_other_direction() {
        let positive = "(declare-const x Int) (assert (< x 5)) (check-sat)";
        let negative = "(declare-const x Int) (assert (not (< x 5))) (check-sat)";
        let weaker = replacements(positive, Direction::Weaker);
        assert!(weaker.contains(&"(<= x 5)".to_owned()));
        assert!(weaker.iter().any(|text| text.starts_with("(or (< x 5) ")));
        assert!(!weaker.iter().any(|text| text.starts_with("(and (< x 5) ")));
        let stronger = replacements(negative, Direction::Weaker);
        assert!(stronger.iter().any(|text| text.starts_with("(<= (+ x ")));
        assert!(stronger.iter().any(|text| text.starts_with("(and (< x 5) ")));
        assert!(!stronger.contains(&"(<= x 5)".to_owned()));
    }

    #[test]
    fn terms_of_an_unknown_sort_are_left_alone_by_rules() {
        let text = "(declare-sort U 0) (declare-const u U) (assert (= u u)) (check-sat)";
        let all = replacements(text, Direction::Weaker);
        assert!(all.iter().all(|text| text.starts_with("(or (= u u) ")), "{all:?}");
    }
}
