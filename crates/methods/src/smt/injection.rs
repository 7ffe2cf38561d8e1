//! Random Boolean terms over the constants of a formula.

use std::collections::BTreeMap;

use metacov_core::Rng;

use super::literal::{Values, literal};
use super::sort::Sort;
use super::tree::symbol_text;

/// A random Boolean term over these constants: one or two atoms and a connective.
pub(super) fn predicate(constants: &BTreeMap<Sort, Vec<&str>>, rng: &mut Rng) -> String {
    let first = atom(constants, rng);
    match rng.below(6) {
        0 => first,
        1 => format!("(not {first})"),
        at => {
            let connective = ["and", "or", "=>", "xor"][at - 2];
            format!("({connective} {first} {})", atom(constants, rng))
        }
    }
}

fn atom(constants: &BTreeMap<Sort, Vec<&str>>, rng: &mut Rng) -> String {
    let sorts: Vec<(&Sort, &Vec<&str>)> = constants.iter().collect();
    let Some(&(&sort, names)) = (!sorts.is_empty()).then(|| rng.pick(&sorts)) else {
        return literal(Sort::Bool, Values::Any, rng);
    };
    let (left, right) = (term(sort, names, rng), term(sort, names, rng));
    let predicates: &[&str] = match sort {
        Sort::Bool => return left,
        Sort::Int | Sort::Real => &["<", "<=", ">", ">=", "=", "distinct"],
        Sort::BitVec(_) => &["bvult", "bvule", "bvslt", "bvsle", "bvugt", "bvsge", "=", "distinct"],
        Sort::Float(..) => &["fp.lt", "fp.leq", "fp.eq", "="],
        Sort::String => {
            &["=", "distinct", "str.<=", "str.prefixof", "str.suffixof", "str.contains"]
        }
        Sort::Unknown => &["="],
    };
    format!("({} {left} {right})", rng.pick(predicates))
}

/// A variable, a constant, or an operator over two of them. Products have a constant factor, so a
/// linear formula remains linear.
fn term(sort: Sort, names: &[&str], rng: &mut Rng) -> String {
    let name = symbol_text(rng.pick::<&str>(names));
    let operators: &[&str] = match sort {
        Sort::Int | Sort::Real => &["+", "-", "*"],
        Sort::BitVec(_) => &["bvadd", "bvsub", "bvand", "bvor", "bvxor", "bvmul"],
        Sort::Float(..) => &["fp.add RNE", "fp.sub RNE", "fp.min", "fp.max"],
        Sort::String => &["str.++"],
        Sort::Bool | Sort::Unknown => &[],
    };
    if operators.is_empty() || rng.chance(40) {
        let is_variable = sort == Sort::Bool || rng.chance(70);
        return if is_variable { name } else { literal(sort, Values::Any, rng) };
    }
    let operator = *rng.pick(operators);
    let is_variable = operator != "*" && operator != "bvmul" && rng.chance(50);
    let other = if is_variable {
        symbol_text(rng.pick::<&str>(names))
    } else {
        literal(sort, Values::Any, rng)
    };
    format!("({operator} {name} {other})")
}

#[cfg(test)]
mod tests {
    use super::super::tree::Tree;
    use super::*;

    #[test]
    fn terms_are_well_formed_and_use_the_constants() {
        let sorts = [Sort::Bool, Sort::Int, Sort::BitVec(4), Sort::Float(5, 11), Sort::String];
        let constants = sorts.map(|sort| (sort, vec!["v", "w w"])).into();
        let mut rng = Rng::new(1);
        for _ in 0..500 {
            let text = predicate(&constants, &mut rng);
            assert_eq!(Tree::read(text.clone()).unwrap().roots().count(), 1, "{text}");
        }
        assert!(["true", "false"].contains(&&*atom(&BTreeMap::new(), &mut rng)));
    }
}
