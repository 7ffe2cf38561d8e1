//! Semantic fusion: two formulas become one, in which some variables of one are expressed by those
//! of the other.

use std::collections::{BTreeMap, BTreeSet};

use metacov_core::Rng;

use super::fusion_function::{ChosenFunction, FUSION_FUNCTIONS, SortClass};
use super::label::Label;
use super::seed::{LOGIC, QUESTION, Seed};
use super::sort::Sort;
use super::tree::{NodeId, symbol_text};

/// The most pairs of variables that are fused in one formula.
const PAIRS_MAX: usize = 4;

/// Two formulas and their fusion, as commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fused {
    pub(super) first: Vec<String>,
    pub(super) second: Vec<String>,
    pub(super) fusion: Vec<String>,
}

/// Fuses two formulas with this label. None if they share no sort of variables.
///
/// Satisfiable: the assertions of both. A model of both, with each fused variable `z` set to
/// `f(x, y)`, is a model, because every inversion then has the value of the variable that it
/// replaces. Unsatisfiable: one or the other formula, and constraints that undo the replacement.
pub(super) fn fuse(first: &Seed, second: &Seed, label: Label, rng: &mut Rng) -> Option<Fused> {
    let second = second.renamed(first)?;
    let pairs = choose_pairs(first, &second, label, rng);
    let mut names = first.names();
    names.extend(second.names());
    let mut taken: BTreeSet<String> = names.iter().map(|&name| name.to_owned()).collect();
    let (mut edits, mut declarations, mut constraints) =
        ([BTreeMap::new(), BTreeMap::new()], Vec::new(), Vec::new());
    for (index, pair) in pairs.iter().enumerate() {
        let z = fresh(&format!("{}_{}_fused", pair.x, pair.y), &mut taken);
        let [x, y, z] = [pair.x, pair.y, &z].map(symbol_text);
        let (of_x, of_y) = (pair.function.first(&x, &y, &z), pair.function.second(&x, &y, &z));
        // At least one occurrence of the first pair is replaced.
        let least = usize::from(index == 0);
        replace(first, pair.x, &of_x, least, &mut edits[0], rng);
        replace(&second, pair.y, &of_y, 0, &mut edits[1], rng);
        declarations.push(format!("(declare-const {z} {})", pair.sort.text()?));
        constraints.push(format!("(= {z} {})", pair.function.fused(&x, &y)));
        if matches!(pair.sort, Sort::Int | Sort::Real) {
            constraints.extend([format!("(= {x} {of_x})"), format!("(= {y} {of_y})")]);
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let [in_first, in_second] = &edits;
    let terms = [
        first.assertion_texts(in_first).collect::<Vec<_>>(),
        second.assertion_texts(in_second).collect(),
    ];
    let mut fusion = vec![LOGIC.to_owned()];
    fusion.extend(first.declaration_texts());
    fusion.extend(second.declaration_texts());
    fusion.extend(declarations);
    let asserted: Vec<String> = match label {
        Label::Sat => terms.concat(),
        Label::Unsat => {
            let [first, second] = terms.map(|terms| conjunction(&terms));
            [vec![format!("(or {first} {second})")], constraints].concat()
        }
    };
    fusion.extend(asserted.iter().map(|term| format!("(assert {term})")));
    fusion.push(QUESTION.to_owned());
    let unchanged = BTreeMap::new();
    Some(Fused { first: first.commands(&unchanged), second: second.commands(&unchanged), fusion })
}

/// A variable of each formula, and the function that joins them.
struct VariablePair<'s> {
    x: &'s str,
    y: &'s str,
    sort: Sort,
    function: ChosenFunction,
}

fn choose_pairs<'s>(
    first: &'s Seed,
    second: &'s Seed,
    label: Label,
    rng: &mut Rng,
) -> Vec<VariablePair<'s>> {
    let of_second = second.constants();
    let mut candidates: Vec<(Sort, &str, &str)> = Vec::new();
    for (sort, xs) in first.constants() {
        let ys = of_second.get(&sort).filter(|_| SortClass::of(sort).is_some());
        let (mut xs, mut ys) = (xs, ys.cloned().unwrap_or_default());
        shuffle(&mut xs, rng);
        shuffle(&mut ys, rng);
        candidates.extend(xs.into_iter().zip(ys).map(|(x, y)| (sort, x, y)));
    }
    shuffle(&mut candidates, rng);
    if !candidates.is_empty() {
        candidates.truncate(rng.between(1, PAIRS_MAX.min(candidates.len())));
    }
    // Rule: a quotient by zero may have any value, but always the same one. If it is to be that of
    // a variable, nothing else may depend on it: at most one product, and no other division.
    // Unsatisfiable formulas assert the inversions, so there any number is sound.
    let mut may_divide = label == Label::Unsat || !(first.divides || second.divides);
    let mut pairs = Vec::new();
    for (sort, x, y) in candidates {
        let class = SortClass::of(sort);
        let functions: Vec<_> = FUSION_FUNCTIONS
            .iter()
            .filter(|function| Some(function.sort) == class && (may_divide || !function.divides))
            .collect();
        let function = *rng.pick(&functions);
        if function.divides && label == Label::Sat {
            may_divide = false;
        }
        pairs.push(VariablePair { x, y, sort, function: function.choose(sort, rng) });
    }
    pairs
}

/// Replaces a random number of the occurrences of a variable.
fn replace(
    seed: &Seed,
    name: &str,
    term: &str,
    least: usize,
    edits: &mut BTreeMap<NodeId, String>,
    rng: &mut Rng,
) {
    let mut occurrences = seed.analysis.occurrences.get(name).cloned().unwrap_or_default();
    shuffle(&mut occurrences, rng);
    let count = rng.between(least.min(occurrences.len()), occurrences.len());
    edits.extend(occurrences.into_iter().take(count).map(|node| (node, term.to_owned())));
}

fn conjunction(terms: &[String]) -> String {
    match terms {
        [term] => term.clone(),
        terms => format!("(and {})", terms.join(" ")),
    }
}

/// A name that is not taken, and now is.
fn fresh(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut name = name.to_owned();
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// Orders items at random.
pub(super) fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for at in (1..items.len()).rev() {
        items.swap(at, rng.below(at + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "(declare-const x Real) (declare-const y Real)
        (assert (< (+ x y) 1.0)) (assert (> x y)) (check-sat)";

    fn seed(text: &str) -> Seed {
        Seed::read("seed", text).unwrap()
    }

    fn fusions(first: &str, second: &str, label: Label) -> Vec<Fused> {
        let (first, second) = (seed(first), seed(second));
        (0..200).filter_map(|at| fuse(&first, &second, label, &mut Rng::new(at))).collect()
    }

    /// How many assertions there are.
    fn assertions(commands: &[String]) -> usize {
        commands.iter().filter(|command| command.starts_with("(assert")).count()
    }

    #[test]
    fn a_satisfiable_fusion_asserts_both_and_defines_nothing() {
        for fused in fusions(LINE, LINE, Label::Sat) {
            assert_eq!(assertions(&fused.fusion), 4);
            let text = fused.fusion.concat();
            assert!(text.contains("_fused") && text.contains("x_2"), "{text}");
            assert!(!fused.first.concat().contains("x_2"));
            assert!(fused.second.concat().contains("(declare-const x_2 Real)"));
            assert!(!text.contains("(= x"), "{text}");
        }
    }

    #[test]
    fn an_unsatisfiable_fusion_asserts_one_or_the_other_and_the_constraints() {
        for fused in fusions(LINE, LINE, Label::Unsat) {
            let declared = fused.fusion.iter().filter(|text| text.contains("_fused Real)")).count();
            assert_eq!(assertions(&fused.fusion), 1 + 3 * declared);
            assert!(fused.fusion.concat().contains("(assert (or (and "));
        }
    }

    /// Two products with `y = 0` need a quotient by zero with two values.
    #[test]
    fn a_satisfiable_fusion_has_one_product_at_most_and_none_beside_a_division() {
        // A quotient of a fused variable by another one; that of a linear function is by a number.
        let products = |fused: &Fused| {
            let text = fused.fusion.concat();
            let quotients = text.split("(/ ").skip(1).filter_map(|rest| {
                let mut words = rest.split([' ', ')']);
                let (dividend, divisor) = (words.next()?, words.next()?);
                let is_name = divisor.starts_with(|letter: char| letter.is_ascii_alphabetic());
                (dividend.ends_with("_fused") && is_name).then(|| dividend.to_owned())
            });
            quotients.collect::<BTreeSet<String>>().len()
        };
        let products = |fusions: Vec<Fused>| fusions.iter().map(products).collect::<Vec<usize>>();
        let counts = products(fusions(LINE, LINE, Label::Sat));
        assert!(counts.contains(&1), "{counts:?}");
        assert!(counts.iter().all(|&count| count <= 1), "{counts:?}");
        let dividing = LINE.replace("(> x y)", "(> (/ x y) y)");
        let counts = products(fusions(LINE, &dividing, Label::Sat));
        assert!(!counts.is_empty() && counts.iter().all(|&count| count == 0), "{counts:?}");
        let unsat = products(fusions(LINE, LINE, Label::Unsat));
        assert!(unsat.iter().any(|&count| count > 1), "{unsat:?}");
    }

    #[test]
    fn formulas_without_a_common_sort_are_not_fused() {
        let text = "(declare-const s String) (assert (= s s)) (check-sat)";
        assert!(fusions(LINE, text, Label::Sat).is_empty());
    }
}
