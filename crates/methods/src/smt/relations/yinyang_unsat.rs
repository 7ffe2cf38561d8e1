//! `yinyang-unsat`: two unsatisfiable formulas, and their fusion, which is unsatisfiable too.

use metacov_core::{Judge, Rng};

use super::{Derived, fused_test};
use crate::smt::label::Label;
use crate::smt::subject::Formulas;

pub(super) fn derive(formulas: &Formulas, rng: &mut Rng) -> Derived {
    fused_test(formulas, Label::Unsat, Judge::Unsat, rng)
}
