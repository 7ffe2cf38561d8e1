//! `yinyang-sat`: two satisfiable formulas, and their fusion, which is satisfiable too.

use metacov_core::{Judge, Rng};

use super::{Derived, fused_test};
use crate::smt::label::Label;
use crate::smt::subject::Formulas;

pub(super) fn derive(formulas: &Formulas, rng: &mut Rng) -> Derived {
    fused_test(formulas, Label::Sat, Judge::Sat, rng)
}
