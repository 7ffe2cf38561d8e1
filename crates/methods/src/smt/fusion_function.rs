//! Functions that join two variables to one, and their inversions (Winterer et al., PLDI 2020,
//! "Validating SMT Solvers via Semantic Fusion", Figure 6; and more that were proven).

use metacov_core::Rng;

use super::literal::{Values, fill, integer, literal};
use super::sort::Sort;

/// `z = f(x, y)`, and how `x` and `y` follow from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FusionFunction {
    /// The sort of all three.
    pub(super) sort: SortClass,
    /// `f(x, y)`. `c` is a random constant, `k` a random factor that has the inverse `i`.
    f: &'static str,
    /// The first variable, from `y` and `z`.
    x: &'static str,
    /// The second variable, from `x` and `z`.
    y: &'static str,
    /// Whether the inversions hold only if neither variable is zero.
    pub(super) divides: bool,
}

/// Sorts that have the same functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortClass {
    Bool,
    Int,
    Real,
    BitVec,
    String,
}

impl SortClass {
    pub(super) fn of(sort: Sort) -> Option<Self> {
        match sort {
            Sort::Bool => Some(Self::Bool),
            Sort::Int => Some(Self::Int),
            Sort::Real => Some(Self::Real),
            Sort::BitVec(_) => Some(Self::BitVec),
            Sort::String => Some(Self::String),
            Sort::Float(..) | Sort::Unknown => None,
        }
    }
}

const fn exact(
    sort: SortClass,
    f: &'static str,
    x: &'static str,
    y: &'static str,
) -> FusionFunction {
    FusionFunction { sort, f, x, y, divides: false }
}

const fn dividing(
    sort: SortClass,
    f: &'static str,
    x: &'static str,
    y: &'static str,
) -> FusionFunction {
    FusionFunction { sort, f, x, y, divides: true }
}

/// All functions.
pub(super) const FUSION_FUNCTIONS: &[FusionFunction] = &[
    exact(SortClass::Bool, "(xor x y)", "(xor z y)", "(xor z x)"),
    exact(SortClass::Int, "(+ x y)", "(- z y)", "(- z x)"),
    exact(SortClass::Int, "(+ (+ x y) c)", "(- (- z y) c)", "(- (- z x) c)"),
    exact(SortClass::Int, "(+ (* k x) y)", "(div (- z y) k)", "(- z (* k x))"),
    dividing(SortClass::Int, "(* x y)", "(div z y)", "(div z x)"),
    exact(SortClass::Real, "(+ x y)", "(- z y)", "(- z x)"),
    exact(SortClass::Real, "(+ (+ x y) c)", "(- (- z y) c)", "(- (- z x) c)"),
    exact(SortClass::Real, "(+ (+ x c) y)", "(- (- z c) y)", "(- (- z c) x)"),
    exact(SortClass::Real, "(+ (* k x) y)", "(/ (- z y) k)", "(- z (* k x))"),
    dividing(SortClass::Real, "(* x y)", "(/ z y)", "(/ z x)"),
    exact(SortClass::BitVec, "(bvxor x y)", "(bvxor z y)", "(bvxor z x)"),
    exact(SortClass::BitVec, "(bvadd x y)", "(bvsub z y)", "(bvsub z x)"),
    exact(
        SortClass::BitVec,
        "(bvadd (bvadd x y) c)",
        "(bvsub (bvsub z y) c)",
        "(bvsub (bvsub z x) c)",
    ),
    exact(
        SortClass::BitVec,
        "(bvadd (bvmul k x) y)",
        "(bvmul i (bvsub z y))",
        "(bvsub z (bvmul k x))",
    ),
    exact(
        SortClass::String,
        "(str.++ x y)",
        "(str.substr z 0 (str.len x))",
        "(str.substr z (str.len x) (str.len y))",
    ),
    exact(
        SortClass::String,
        "(str.++ x y)",
        "(str.substr z 0 (str.len x))",
        "(str.replace z x \"\")",
    ),
    exact(
        SortClass::String,
        "(str.++ x c y)",
        "(str.substr z 0 (str.len x))",
        "(str.replace (str.replace z x \"\") c \"\")",
    ),
];

/// A function with its constants chosen.
#[derive(Clone, Debug)]
pub(super) struct ChosenFunction {
    function: &'static FusionFunction,
    constant: String,
    factor: String,
    inverse: String,
}

impl FusionFunction {
    /// Chooses the constants.
    pub(super) fn choose(&'static self, sort: Sort, rng: &mut Rng) -> ChosenFunction {
        let constant = literal(sort, Values::Any, rng);
        let (factor, inverse) = factor(sort, rng);
        ChosenFunction { function: self, constant, factor, inverse }
    }
}

impl ChosenFunction {
    /// Returns `f(x, y)` for two names.
    pub(super) fn fused(&self, x: &str, y: &str) -> String {
        self.fill(self.function.f, [x, y, ""])
    }

    /// Returns the first variable, from the second and the fused one.
    pub(super) fn first(&self, x: &str, y: &str, z: &str) -> String {
        self.fill(self.function.x, [x, y, z])
    }

    /// Returns the second variable, from the first and the fused one.
    pub(super) fn second(&self, x: &str, y: &str, z: &str) -> String {
        self.fill(self.function.y, [x, y, z])
    }

    fn fill(&self, template: &str, [x, y, z]: [&str; 3]) -> String {
        let Self { constant, factor, inverse, .. } = self;
        let constants = [('c', &**constant), ('k', &**factor), ('i', &**inverse)];
        fill(template, &[[('x', x), ('y', y), ('z', z)], constants].concat())
    }
}

/// A factor, and its inverse for bit-vectors.
fn factor(sort: Sort, rng: &mut Rng) -> (String, String) {
    let small = match rng.number(-9, 8) {
        0.. => i64::from(rng.number(1, 9)),
        negative => i64::from(negative),
    };
    match sort {
        Sort::Int => (integer(small), String::new()),
        Sort::Real if small < 0 => (format!("(- {}.0)", -small), String::new()),
        Sort::Real => (format!("{small}.0"), String::new()),
        Sort::BitVec(width @ 1..=128) => {
            let k = u128::from(rng.bits()) | 1;
            (bits(k, width), bits(inverse(k), width))
        }
        // -1 is its own inverse.
        Sort::BitVec(width) => {
            let ones = format!("#b{}", "1".repeat(width as usize));
            (ones.clone(), ones)
        }
        _ => (String::new(), String::new()),
    }
}

/// The inverse of an odd number modulo 2^128, and so modulo every smaller power of two. By Newton's
/// iteration, which doubles the number of right bits: 3, 6, ... 192.
fn inverse(odd: u128) -> u128 {
    (0..6).fold(odd, |inverse, _| {
        inverse.wrapping_mul(2_u128.wrapping_sub(odd.wrapping_mul(inverse)))
    })
}

fn bits(value: u128, width: u32) -> String {
    let digits: String =
        (0..width).rev().map(|at| if value >> at & 1 == 1 { '1' } else { '0' }).collect();
    format!("#b{digits}")
}

/// Returns a proof obligation for each function: scripts that are unsatisfiable if its inversions
/// hold, with a name each.
pub fn obligations() -> Vec<(String, String)> {
    let mut scripts = Vec::new();
    for function in FUSION_FUNCTIONS {
        let sort = match function.sort {
            SortClass::Bool => Sort::Bool,
            SortClass::Int => Sort::Int,
            SortClass::Real => Sort::Real,
            SortClass::BitVec => Sort::BitVec(8),
            SortClass::String => Sort::String,
        };
        let chosen = function.choose(sort, &mut Rng::new(1));
        let text = sort.text().unwrap_or_default();
        let not_zero = match sort {
            Sort::Int if function.divides => "(assert (not (= x 0)))\n(assert (not (= y 0)))\n",
            Sort::Real if function.divides => {
                "(assert (not (= x 0.0)))\n(assert (not (= y 0.0)))\n"
            }
            _ => "",
        };
        for (variable, inversion) in
            [("x", chosen.first("x", "y", "z")), ("y", chosen.second("x", "y", "z"))]
        {
            scripts.push((
                format!("{text}: z = {} gives {variable} = {inversion}", chosen.fused("x", "y")),
                format!(
                    "(set-logic ALL)\n(declare-const x {text})\n(declare-const y {text})\n\
                     (declare-const z {text})\n{not_zero}(assert (= z {}))\n\
                     (assert (not (= {variable} {inversion})))\n(check-sat)\n",
                    chosen.fused("x", "y")
                ),
            ));
        }
    }
    scripts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_numbers_have_inverses() {
        for odd in [1, 3, 5, 255, u128::MAX, 0x1234_5678_9abc_def1] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
        assert_eq!(bits(inverse(5), 8), "#b11001101");
    }

    #[test]
    fn functions_are_filled_with_names() {
        let function = &FUSION_FUNCTIONS[3];
        let chosen = function.choose(Sort::Int, &mut Rng::new(3));
        let k = &chosen.factor;
        assert_eq!(chosen.fused("a", "b"), format!("(+ (* {k} a) b)"));
        assert_eq!(chosen.first("a", "b", "c"), format!("(div (- c b) {k})"));
        assert_eq!(chosen.second("a", "b", "c"), format!("(- c (* {k} a))"));
    }

    #[test]
    fn factors_are_never_zero() {
        let mut rng = Rng::new(5);
        for _ in 0..200 {
            assert_ne!(factor(Sort::Int, &mut rng).0, "0");
            assert!(factor(Sort::BitVec(8), &mut rng).0.ends_with('1'));
        }
    }
}
