//! Rules that replace an atom by a weaker or a stronger one (Yao et al., FSE 2021, "Skeletal
//! Approximation Enumeration for SMT Solver Testing", Table 2). Four rules of that table are not
//! valid and are left out: `bvsle` by `bvsgt`, `str.suffixof` by `str.<=`, `str.contains` by `str.<=`,
//! and the equality of strings by two common affixes. [`refutations`] has a counterexample to each.

use metacov_core::Rng;

use super::literal::{Values, fill, literal};
use super::sort::Sort;

/// Whether a formula becomes weaker (its models remain) or stronger (it has no new ones).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Weaker,
    Stronger,
}

impl Direction {
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::Weaker => Self::Stronger,
            Self::Stronger => Self::Weaker,
        }
    }
}

/// An atom `(predicate x y)` implies its replacement, or is implied by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// The sorts of both arguments.
    sorts: Sorts,
    pub(super) predicate: &'static str,
    pub(super) direction: Direction,
    /// The new atom: `x` and `y` are the arguments, `a` is a random constant.
    pub(super) replacement: &'static str,
    /// What `a` may be.
    values: Values,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sorts {
    Arithmetic,
    BitVec,
    Float,
    String,
}

impl Sorts {
    fn contain(self, sort: Sort) -> bool {
        match self {
            Self::Arithmetic => matches!(sort, Sort::Int | Sort::Real),
            Self::BitVec => matches!(sort, Sort::BitVec(_)),
            Self::Float => matches!(sort, Sort::Float(..)),
            Self::String => sort == Sort::String,
        }
    }

    /// Sorts on which its rules are proven.
    fn examples(self) -> &'static [Sort] {
        match self {
            Self::Arithmetic => &[Sort::Int, Sort::Real],
            Self::BitVec => &[Sort::BitVec(1), Sort::BitVec(8)],
            Self::Float => &[Sort::Float(3, 5), Sort::Float(8, 24)],
            Self::String => &[Sort::String],
        }
    }
}

/// A block of rules for one predicate: those that make it weaker, and those that make it stronger.
macro_rules! rules {
    ($($sorts:ident $predicate:literal: weaker [$($weaker:literal $($over:ident)?),*]
        stronger [$($stronger:literal $($under:ident)?),*];)*) => {
        &[$(
            $(rule(Sorts::$sorts, $predicate, Direction::Weaker, $weaker, values!($($over)?)),)*
            $(rule(Sorts::$sorts, $predicate, Direction::Stronger, $stronger, values!($($under)?)),)*
        )*]
    };
}

macro_rules! values {
    () => {
        Values::Any
    };
    ($values:ident) => {
        Values::$values
    };
}

const fn rule(
    sorts: Sorts,
    predicate: &'static str,
    direction: Direction,
    replacement: &'static str,
    values: Values,
) -> Rule {
    Rule { sorts, predicate, direction, replacement, values }
}

/// All rules.
#[rustfmt::skip]
pub(super) const RULES: &[Rule] = rules! {
    Arithmetic "<": weaker ["(<= x y)", "(not (= x y))"] stronger ["(<= (+ x a) y)" Positive];
    Arithmetic "<=": weaker ["(< x (+ y a))" Positive] stronger ["(= x y)", "(< (+ x a) y)" Positive];
    Arithmetic ">": weaker ["(>= x y)", "(not (= x y))"] stronger ["(>= x (+ y a))" Positive];
    Arithmetic ">=": weaker ["(> (+ x a) y)" Positive] stronger ["(= x y)", "(> x (+ y a))" Positive];
    Arithmetic "=": weaker ["(<= x y)", "(>= x y)"]
        stronger ["(and (<= a x) (<= x a) (<= a y) (<= y a))"];
    Arithmetic "distinct": weaker ["(not (and (= x a) (= y a)))"] stronger ["(< x y)", "(> x y)"];
    BitVec "bvult": weaker ["(bvule x y)", "(not (= x y))"] stronger [];
    BitVec "bvugt": weaker ["(bvuge x y)", "(not (= x y))"] stronger [];
    BitVec "bvslt": weaker ["(bvsle x y)", "(not (= x y))"] stronger [];
    BitVec "bvsgt": weaker ["(bvsge x y)", "(not (= x y))"] stronger [];
    BitVec "bvule": weaker [] stronger ["(= x y)", "(bvult x y)"];
    BitVec "bvuge": weaker [] stronger ["(= x y)", "(bvugt x y)"];
    BitVec "bvsle": weaker [] stronger ["(= x y)", "(bvslt x y)"];
    BitVec "bvsge": weaker [] stronger ["(= x y)", "(bvsgt x y)"];
    BitVec "=": weaker ["(bvule x y)", "(bvuge x y)", "(bvsle x y)", "(bvsge x y)"]
        stronger ["(and (bvule a x) (bvule x a) (bvule a y) (bvule y a))",
                  "(and (bvsle a x) (bvsle x a) (bvsle a y) (bvsle y a))"];
    BitVec "distinct": weaker ["(not (and (= x a) (= y a)))"]
        stronger ["(bvult x y)", "(bvugt x y)", "(bvslt x y)", "(bvsgt x y)"];
    Float "fp.lt": weaker ["(fp.leq x y)", "(not (fp.eq x y))"] stronger [];
    Float "fp.gt": weaker ["(fp.geq x y)", "(not (fp.eq x y))"] stronger [];
    Float "fp.leq": weaker [] stronger ["(fp.eq x y)", "(fp.lt x y)"];
    Float "fp.geq": weaker [] stronger ["(fp.eq x y)", "(fp.gt x y)"];
    Float "fp.eq": weaker ["(fp.leq x y)", "(fp.geq x y)"]
        stronger ["(and (fp.leq a x) (fp.leq x a) (fp.leq a y) (fp.leq y a))"];
    String "str.<": weaker ["(str.<= x y)", "(not (= x y))"]
        stronger ["(str.<= (str.++ x a) y)" Positive];
    String "str.<=": weaker ["(str.< x (str.++ y a))" Positive] stronger ["(= x y)", "(str.< x y)"];
    String "str.prefixof": weaker ["(str.<= x y)", "(str.contains y x)"] stronger ["(= y (str.++ x a))"];
    String "str.suffixof": weaker ["(str.contains y x)"] stronger ["(= y (str.++ a x))"];
    String "str.contains": weaker ["(<= (str.len y) (str.len x))"]
        stronger ["(str.prefixof y x)", "(str.suffixof y x)"];
    String "=": weaker ["(str.prefixof x y)", "(str.suffixof x y)", "(str.contains x y)", "(str.<= x y)"]
        stronger ["(and (= x a) (= y a))"];
    String "distinct": weaker ["(not (and (= x a) (= y a)))"] stronger ["(str.< x y)", "(str.< y x)"];
};

impl Rule {
    /// Whether it applies to an atom with arguments of this sort.
    pub(super) fn applies(&self, predicate: &str, sort: Sort, direction: Direction) -> bool {
        self.predicate == predicate && self.direction == direction && self.sorts.contain(sort)
    }

    /// Returns the new atom.
    pub(super) fn apply(&self, x: &str, y: &str, sort: Sort, rng: &mut Rng) -> String {
        let a = literal(sort, self.values, rng);
        fill(self.replacement, &[('x', x), ('y', y), ('a', &a)])
    }
}

/// Returns a proof obligation for each rule and some sorts: scripts that are unsatisfiable if the
/// rule is valid, with a name each. The constant `a` is any one that may be chosen.
pub fn obligations() -> Vec<(String, String)> {
    let mut scripts = Vec::new();
    for rule in RULES {
        for &sort in rule.sorts.examples() {
            let atom = format!("({} x y)", rule.predicate);
            let condition = match (rule.values, sort) {
                (Values::Any, _) => "true",
                (Values::Positive, Sort::String) => "(> (str.len a) 0)",
                (Values::Positive, Sort::Real) => "(> a 0.0)",
                (Values::Positive, _) => "(> a 0)",
            };
            let (strong, weak) = match rule.direction {
                Direction::Weaker => (&*atom, rule.replacement),
                Direction::Stronger => (rule.replacement, &*atom),
            };
            scripts.push(obligation(sort, strong, weak, condition));
        }
    }
    scripts
}

/// A name, and a script that is unsatisfiable if `strong` implies `weak`.
fn obligation(sort: Sort, strong: &str, weak: &str, condition: &str) -> (String, String) {
    let text = sort.text().unwrap_or_default();
    (
        format!("{text}: {strong} implies {weak}"),
        format!(
            "(set-logic ALL)\n(declare-const x {text})\n(declare-const y {text})\n\
             (declare-const a {text})\n(assert {condition})\n(assert {strong})\n\
             (assert (not {weak}))\n(check-sat)\n"
        ),
    )
}

/// Returns scripts that are satisfiable, with a name each: four rules that the paper prints are not
/// valid, and one more would be if no number were a NaN.
pub fn refutations() -> Vec<(String, String)> {
    let float = Sort::Float(3, 5);
    vec![
        obligation(Sort::BitVec(4), "(bvsgt x y)", "(bvsle x y)", "true"),
        obligation(Sort::String, "(str.suffixof x y)", "(str.<= x y)", "true"),
        obligation(Sort::String, "(str.contains x y)", "(str.<= y x)", "true"),
        obligation(
            Sort::String,
            "(and (str.prefixof x a) (str.suffixof x a) (str.prefixof y a) (str.suffixof y a))",
            "(= x y)",
            "true",
        ),
        obligation(float, "(not (fp.lt x y))", "(fp.geq x y)", "true"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_filled_with_the_terms_of_the_atom() {
        let rule = RULES.iter().find(|rule| rule.applies("<", Sort::Int, Direction::Stronger));
        let new = rule.unwrap().apply("(f x)", "y", Sort::Int, &mut Rng::new(1));
        assert!(new.starts_with("(<= (+ (f x) ") && new.ends_with(") y)"), "{new}");
    }

    #[test]
    fn no_rule_of_floats_is_about_structural_equality_or_uses_duality() {
        let float = Sort::Float(8, 24);
        let both = [Direction::Weaker, Direction::Stronger];
        for direction in both {
            assert!(!RULES.iter().any(|rule| rule.applies("=", float, direction)));
        }
        assert!(!RULES.iter().any(|rule| rule.applies("fp.lt", float, Direction::Stronger)));
    }

    #[test]
    fn every_rule_has_an_obligation() {
        assert!(obligations().len() >= 91, "{}", obligations().len());
        assert_eq!(refutations().len(), 5);
    }
}
