//! The operators: how the code at a token of the source is changed.

/// A mutation operator. There are 18, those that Mull applies by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `++x` to `--x`.
    PreIncToPreDec,
    /// `x++` to `x--`.
    PostIncToPostDec,
    /// `a + b` to `a - b`.
    AddToSub,
    /// `a - b` to `a + b`.
    SubToAdd,
    /// `a * b` to `a / b`.
    MulToDiv,
    /// `a / b` to `a * b`.
    DivToMul,
    /// `a % b` to `a / b`.
    RemToDiv,
    /// `-x` to `x`.
    MinusToNoop,
    /// `==` to `!=`.
    EqToNe,
    /// `!=` to `==`.
    NeToEq,
    /// `<=` to `>`.
    LeToGt,
    /// `<` to `>=`.
    LtToGe,
    /// `>=` to `<`.
    GeToLt,
    /// `>` to `<=`.
    GtToLe,
    /// `<=` to `<`.
    LeToLt,
    /// `<` to `<=`.
    LtToLe,
    /// `>=` to `>`.
    GeToGt,
    /// `>` to `>=`.
    GtToGe,
}

use Operator as O;

/// All operators: name, the token in the source, and the text that replaces it.
const ALL: [(Operator, &str, &str, &str); 18] = [
    (O::PreIncToPreDec, "cxx_pre_inc_to_pre_dec", "++", "--"),
    (O::PostIncToPostDec, "cxx_post_inc_to_post_dec", "++", "--"),
    (O::AddToSub, "cxx_add_to_sub", "+", "-"),
    (O::SubToAdd, "cxx_sub_to_add", "-", "+"),
    (O::MulToDiv, "cxx_mul_to_div", "*", "/"),
    (O::DivToMul, "cxx_div_to_mul", "/", "*"),
    (O::RemToDiv, "cxx_rem_to_div", "%", "/"),
    (O::MinusToNoop, "cxx_minus_to_noop", "-", ""),
    (O::EqToNe, "cxx_eq_to_ne", "==", "!="),
    (O::NeToEq, "cxx_ne_to_eq", "!=", "=="),
    (O::LeToGt, "cxx_le_to_gt", "<=", ">"),
    (O::LtToGe, "cxx_lt_to_ge", "<", ">="),
    (O::GeToLt, "cxx_ge_to_lt", ">=", "<"),
    (O::GtToLe, "cxx_gt_to_le", ">", "<="),
    (O::LeToLt, "cxx_le_to_lt", "<=", "<"),
    (O::LtToLe, "cxx_lt_to_le", "<", "<="),
    (O::GeToGt, "cxx_ge_to_gt", ">=", ">"),
    (O::GtToGe, "cxx_gt_to_ge", ">", ">="),
];

impl Operator {
    /// Returns all of them, in the order of Mull's documentation.
    pub fn all() -> impl Iterator<Item = Operator> {
        ALL.iter().map(|(operator, ..)| *operator)
    }

    /// Returns its name, which is Mull's.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns the operator of this name.
    pub fn named(name: &str) -> Option<Self> {
        ALL.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Returns the token that it replaces.
    pub fn original(self) -> &'static str {
        self.row().2
    }

    /// Returns what replaces the token.
    pub fn replacement(self) -> &'static str {
        self.row().3
    }

    fn row(self) -> &'static (Operator, &'static str, &'static str, &'static str) {
        &ALL[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_operators() {
        for (at, operator) in Operator::all().enumerate() {
            assert_eq!(operator as usize, at);
            assert_eq!(Operator::named(operator.name()), Some(operator));
        }
        assert_eq!(Operator::named("cxx_nothing"), None);
    }
}
