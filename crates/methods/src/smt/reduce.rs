//! Reducing a test of formulas within its relation: terms are made smaller in both sides at once.

use std::collections::BTreeMap;

use metacov_core::{Case, Judge, Reduction, ReductionStopped, StillFails, Variant};

use super::mirror::{Edits, Mirror, MirroredTerm, Place};
use super::seed::Seed;
use super::sort::Sort;
use super::tree::{Kind, NodeId};

/// Reduces a case while it fails, trying `candidates_max` candidates at most.
pub(super) fn reduce(
    case: &Case,
    candidates_max: usize,
    fails: &mut StillFails<'_>,
) -> Result<Reduction, ReductionStopped> {
    let (mut case, mut tried) = (case.clone(), 0);
    // A pass tries every candidate once; after a success it goes on at the same position.
    loop {
        let (mut at, mut is_smaller) = (0, false);
        let mut candidates = candidates(&case);
        while let Some(candidate) = candidates.get(at) {
            if tried == candidates_max {
                return Ok(Reduction { case, candidates: tried });
            }
            tried += 1;
            if fails(std::slice::from_ref(candidate))? == [true] {
                case = candidate.clone();
                is_smaller = true;
                candidates = self::candidates(&case);
            } else {
                at += 1;
            }
        }
        if !is_smaller {
            return Ok(Reduction { case, candidates: tried });
        }
    }
}

/// Returns cases that are one edit away: `count_max` at most, evenly from all candidates.
pub(super) fn variants(case: &Case, count_max: usize) -> Vec<Variant> {
    let candidates = candidates(case);
    let step = candidates.len().div_ceil(count_max.max(1)).max(1);
    let chosen = candidates.into_iter().step_by(step).take(count_max);
    let variant = |candidate: Case| Variant {
        origins: (0..candidate.setup.len()).map(Some).collect(),
        setup: candidate.setup,
        sides: candidate.sides,
    };
    chosen.map(variant).collect()
}

/// Smaller cases of the same relation, the much smaller ones first.
fn candidates(case: &Case) -> Vec<Case> {
    let Some(mirror) = Mirror::of(case) else { return Vec::new() };
    let mut edits: Vec<Edits> = Vec::new();
    edits.extend(without_assertions(&mirror));
    edits.extend(unused_fusion(&mirror));
    edits.extend(unused_declarations(&mirror));
    edits.extend(without_options(&mirror));
    for term in mirror.terms() {
        edits.extend(smaller_terms(&mirror, term));
    }
    let size = size(case);
    let made = edits.iter().map(|edits| Case { sides: mirror.edited(edits), ..case.clone() });
    made.filter(|candidate| self::size(candidate) < size)
        .filter(|candidate| !adds_division(&mirror, candidate))
        .collect()
}

/// Whether a seed divides by zero or by a term that did not before. Rule: a satisfiable fusion with a
/// product has no other division.
fn adds_division(mirror: &Mirror, candidate: &Case) -> bool {
    let divides = |seed: &Seed| seed.divides;
    mirror.judge == Judge::Sat
        && !mirror.a.iter().any(divides)
        && Mirror::of(candidate).is_none_or(|candidate| candidate.a.iter().any(divides))
}

fn size(case: &Case) -> usize {
    case.statements().map(String::len).sum()
}

/// Removes an assertion from both sides.
fn without_assertions(mirror: &Mirror) -> Vec<Edits> {
    let command = |seed: &Seed, term: NodeId| {
        seed.tree.roots().find(|&root| seed.tree.subtree(root).contains(&term))
    };
    let of_input =
        |input: usize| mirror.assertions.iter().filter(move |assertion| assertion.input == input);
    let mut all = Vec::new();
    for assertion in &mirror.assertions {
        let place = Place::A(assertion.input);
        let count = of_input(assertion.input).count();
        let Some(in_a) = command(mirror.seed(place), assertion.a).filter(|_| count > 1) else {
            continue;
        };
        let mut edits: Edits = vec![(place, in_a, String::new())];
        match mirror.judge {
            // `(and KEPT REMOVED)` becomes `KEPT`: a conjunction has at least two parts.
            Judge::Unsat if count == 2 => {
                let tree = &mirror.b.tree;
                let kept = of_input(assertion.input).find(|other| other.b != assertion.b);
                let conjunction =
                    (0..assertion.b).rfind(|&node| tree.subtree(node).contains(&assertion.b));
                let (Some(kept), Some(conjunction)) = (kept, conjunction) else { continue };
                edits.push((Place::B, conjunction, tree.text(kept.b).to_owned()));
            }
            Judge::Unsat => edits.push((Place::B, assertion.b, String::new())),
            _ => edits.extend(
                command(&mirror.b, assertion.b).map(|in_b| (Place::B, in_b, String::new())),
            ),
        }
        all.push(edits);
    }
    all
}

/// Removes a fused variable that neither formula has any more, with its constraints.
fn unused_fusion(mirror: &Mirror) -> Vec<Edits> {
    let (b, tree) = (&mirror.b, &mirror.b.tree);
    let mentions =
        |node: NodeId, name: &str| tree.subtree(node).any(|node| tree.symbol(node) == Some(name));
    let is_of_a =
        |name: &str| mirror.a.iter().any(|seed| seed.symbols.functions.contains_key(name));
    let fused = b.symbols.functions.keys().filter(|name| !is_of_a(name));
    let unused = fused.filter(|name| !mirror.assertions.iter().any(|term| mentions(term.b, name)));
    let edits = |name: &String| {
        let commands = tree.roots().filter(|&root| mentions(root, name));
        commands.map(|root| (Place::B, root, String::new())).collect()
    };
    unused.map(edits).collect()
}

/// Removes all declarations of names that occur nowhere else.
fn unused_declarations(mirror: &Mirror) -> Option<Edits> {
    let mut edits = Edits::new();
    for place in mirror.places() {
        let seed = mirror.seed(place);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in (0..seed.tree.len()).filter_map(|node| seed.tree.symbol(node)) {
            *counts.entry(name).or_default() += 1;
        }
        let is_unused = |&&command: &&NodeId| {
            let is_declaration = matches!(
                seed.tree.head(command),
                Some("declare-fun" | "declare-const" | "declare-sort" | "define-fun")
            );
            let name = seed.tree.child(command, 1).and_then(|node| seed.tree.symbol(node));
            is_declaration && name.and_then(|name| counts.get(name)) == Some(&1)
        };
        let unused = seed.declarations.iter().filter(is_unused);
        edits.extend(unused.map(|&command| (place, command, String::new())));
    }
    (!edits.is_empty()).then_some(edits)
}

/// Removes an option, if there are several.
fn without_options(mirror: &Mirror) -> Vec<Edits> {
    let tree = &mirror.b.tree;
    let options = tree.roots().filter(|&root| tree.head(root) == Some("set-option"));
    let edits: Vec<Edits> = options.map(|root| vec![(Place::B, root, String::new())]).collect();
    if edits.len() > 1 { edits } else { Vec::new() }
}

/// Replaces a term in both sides by a smaller one of its sort, or takes back what was changed.
fn smaller_terms(mirror: &Mirror, term: MirroredTerm) -> Vec<Edits> {
    let (place, seed) = (Place::A(term.input), &mirror.a[term.input]);
    let (a, b) = (&seed.tree, &mirror.b.tree);
    let both = |in_a: String, in_b: String| vec![(place, term.a, in_a), (Place::B, term.b, in_b)];
    let sort = seed.analysis.sorts[term.a];
    let is_approximation = matches!(mirror.judge, Judge::WeakerAnswer | Judge::StrongerAnswer);
    let mut all = Vec::new();
    if !mirror.is_same_shape(term) && !mirror.is_same(term) {
        // What was replaced is taken back, or what was injected becomes smaller.
        all.push(vec![(Place::B, term.b, a.text(term.a).to_owned())]);
        all.extend(smaller_injection(mirror, term));
        if is_approximation {
            return all;
        }
    }
    // Rule: the parts of an approximation that differ keep their polarity.
    let keeps_relation = !is_approximation || mirror.is_same(term);
    if keeps_relation && sort != Sort::Unknown {
        let constants = smallest(sort).into_iter().filter(|text| text.len() < a.text(term.a).len());
        all.extend(constants.map(|text| both(text.clone(), text)));
    }
    if mirror.is_same_shape(term) {
        let children: Vec<_> = a.children(term.a).zip(b.children(term.b)).skip(1).collect();
        let last = children.len().saturating_sub(1);
        for (at, (in_a, in_b)) in children.into_iter().enumerate() {
            let keeps_polarity = match a.head(term.a) {
                Some("and" | "or") => true,
                Some("=>") => at == last,
                _ => false,
            };
            if seed.analysis.sorts[in_a] == sort
                && sort != Sort::Unknown
                && (keeps_relation || keeps_polarity)
            {
                all.push(both(a.text(in_a).to_owned(), b.text(in_b).to_owned()));
            }
        }
    }
    all
}

/// If side b has `(or ATOM INJECTED)`, smaller injected terms.
fn smaller_injection(mirror: &Mirror, term: MirroredTerm) -> Vec<Edits> {
    let (a, b) = (&mirror.a[term.input].tree, &mirror.b.tree);
    let parts: Vec<NodeId> = b.children(term.b).collect();
    let [head, atom, injected] = parts[..] else { return Vec::new() };
    let is_injection =
        matches!(b.symbol(head), Some("or" | "and")) && b.text(atom) == a.text(term.a);
    if !is_injection || b.kind(injected) != Kind::List {
        return Vec::new();
    }
    let is_bool = |&node: &NodeId| mirror.b.analysis.sorts[node] == Sort::Bool;
    let inner = b.children(injected).skip(1).filter(is_bool).map(|node| b.text(node).to_owned());
    let texts = smallest(Sort::Bool).into_iter().chain(inner);
    texts.map(|text| vec![(Place::B, injected, text)]).collect()
}

/// The shortest constants of a sort.
fn smallest(sort: Sort) -> Vec<String> {
    match sort {
        Sort::Bool => vec!["true".to_owned(), "false".to_owned()],
        Sort::Int => vec!["0".to_owned(), "1".to_owned()],
        Sort::Real => vec!["0.0".to_owned(), "1.0".to_owned()],
        Sort::String => vec!["\"\"".to_owned()],
        Sort::BitVec(width) if width % 4 == 0 => {
            vec![format!("#x{}", "0".repeat(width as usize / 4))]
        }
        Sort::BitVec(width) => vec![format!("#b{}", "0".repeat(width as usize))],
        Sort::Float(exponent, significand) => vec![format!("(_ +zero {exponent} {significand})")],
        Sort::Unknown => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use metacov_core::{Facts, Input, Pair, Rng, Test};

    use super::super::SMT;
    use super::*;

    fn case(judge: Judge, a: &[&str], b: &str) -> Case {
        let input = |script: &&str| Input::from(SMT.language().statements(script));
        let sides = Pair { a: a.iter().map(input).collect(), b: vec![input(&b)] };
        let (relation, setup, parts) = (String::new(), Vec::new(), Vec::new());
        Case { relation, setup, sides, parts, judge }
    }

    fn reduced(case: &Case, is_failing: impl Fn(&Case) -> bool) -> Case {
        let mut fails = |cases: &[Case]| Ok(cases.iter().map(&is_failing).collect::<Vec<bool>>());
        reduce(case, 1000, &mut fails).unwrap().case
    }

    fn texts(inputs: &[Input]) -> Vec<String> {
        inputs.iter().map(|input| input.statements.concat()).collect()
    }

    #[test]
    fn an_assertion_is_removed_from_both_sides() {
        let a =
            "(declare-const x Int)(declare-const y Int)(assert (< x 3))(assert (< y 4))(check-sat)";
        let b = "(declare-const x Int)(declare-const y Int)(declare-const z Int)\
                 (assert (< (- z 1) 3))(assert (< y 4))(check-sat)";
        let small = reduced(&case(Judge::WeakerAnswer, &[a], b), |case| {
            texts(&case.sides.b)[0].contains("(< (- z 1) 3)")
        });
        assert_eq!(texts(&small.sides.a), ["(declare-const x Int)(assert (< x 3))(check-sat)"]);
        assert_eq!(
            texts(&small.sides.b),
            ["(declare-const z Int)(assert (< (- z 1) 3))(check-sat)"]
        );
    }

    #[test]
    fn a_fusion_is_reduced_with_its_seeds() {
        let a = "(declare-const x Int)(assert (< x 3))(assert (> x (+ 4 x)))(check-sat)";
        let other = "(declare-const y Int)(assert (and (< y 3) (> y 4)))(check-sat)";
        let b = "(declare-const x Int)(declare-const y Int)(declare-const z Int)\
                 (assert (or (and (< (- z y) 3) (> x (+ 4 x))) (and (< y 3) (> y 4))))\
                 (assert (= z (+ x y)))(check-sat)";
        let small = reduced(&case(Judge::Unsat, &[a, other], b), |case| {
            texts(&case.sides.b)[0].contains("(> y 4)") && texts(&case.sides.a)[0].contains('x')
        });
        assert_eq!(texts(&small.sides.a)[1], "(declare-const y Int)(assert (> y 4))(check-sat)");
        assert!(!texts(&small.sides.b)[0].contains('z'), "{:?}", small.sides.b);
    }

    #[test]
    fn an_approximation_keeps_its_polarity() {
        let a = "(declare-const x Int)(assert (not (and (< x 3) (< x 5))))(check-sat)";
        let b = "(declare-const x Int)(assert (not (and (<= x 3) (< x 5))))(check-sat)";
        let candidates = candidates(&case(Judge::StrongerAnswer, &[a], b));
        let pairs: Vec<(String, String)> = candidates
            .iter()
            .map(|case| (texts(&case.sides.a).concat(), texts(&case.sides.b).concat()))
            .collect();
        let script = |term: &str| format!("(declare-const x Int)(assert {term})(check-sat)");
        assert!(pairs.contains(&(script("(not (< x 3))"), script("(not (<= x 3))"))), "{pairs:#?}");
        assert!(!pairs.iter().any(|(a, _)| *a == script("(and (< x 3) (< x 5))")), "{pairs:#?}");
    }

    /// Every candidate of a generated test is one that its relation allows: both sides have the
    /// shape that the reducer reads, and it is smaller.
    #[test]
    fn candidates_of_generated_tests_are_tests() {
        let subject = SMT.subject(&Facts::new());
        for number in 0..40 {
            for relation in 0..4 {
                let Test { sides, judge, .. } = subject.derive(relation, &mut Rng::new(number));
                let (relation, setup, parts) = (String::new(), Vec::new(), Vec::new());
                let case = Case { relation, setup, sides, parts, judge };
                let candidates = candidates(&case);
                assert!(!candidates.is_empty(), "{:?}", case.sides);
                for candidate in &candidates {
                    assert!(size(candidate) < size(&case));
                    assert!(Mirror::of(candidate).is_some(), "{:#?}", candidate.sides);
                }
                assert!(variants(&case, 10).len() <= 10);
            }
        }
    }
}
