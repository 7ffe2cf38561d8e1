//! Sorts, as far as relations need them.

use super::tree::{Kind, NodeId, Tree};

/// A sort that relations know, or an unknown one, whose terms they leave alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// Any other sort, or one that was not inferred.
    Unknown,
    /// Truth values.
    Bool,
    /// Integers.
    Int,
    /// Reals.
    Real,
    /// Strings of characters.
    String,
    /// Bit-vectors of this width.
    BitVec(u32),
    /// Floating-point numbers: bits of the exponent, and of the significand with the hidden one.
    Float(u32, u32),
}

impl Sort {
    /// Reads a sort. Names that a script defines are unknown.
    pub(super) fn read(tree: &Tree, node: NodeId) -> Self {
        if tree.kind(node) != Kind::List {
            return match tree.symbol(node) {
                Some("Bool") => Self::Bool,
                Some("Int") => Self::Int,
                Some("Real") => Self::Real,
                Some("String") => Self::String,
                Some("Float16") => Self::Float(5, 11),
                Some("Float32") => Self::Float(8, 24),
                Some("Float64") => Self::Float(11, 53),
                Some("Float128") => Self::Float(15, 113),
                _ => Self::Unknown,
            };
        }
        let mut words = tree.children(node).map(|word| tree.text(word));
        let words = [words.next(), words.next(), words.next(), words.next()];
        match words {
            [Some("_"), Some("BitVec"), Some(width), None] => bit_vec(width.parse().ok()),
            [Some("_"), Some("FloatingPoint"), Some(exponent), Some(significand)] => {
                match (exponent.parse(), significand.parse()) {
                    (Ok(exponent), Ok(significand)) => float(exponent, significand),
                    _ => Self::Unknown,
                }
            }
            _ => Self::Unknown,
        }
    }

    /// Returns its text in SMT-LIB; none if it is unknown.
    pub fn text(self) -> Option<String> {
        Some(match self {
            Self::Unknown => return None,
            Self::Bool => "Bool".to_owned(),
            Self::Int => "Int".to_owned(),
            Self::Real => "Real".to_owned(),
            Self::String => "String".to_owned(),
            Self::BitVec(width) => format!("(_ BitVec {width})"),
            Self::Float(exponent, significand) => {
                format!("(_ FloatingPoint {exponent} {significand})")
            }
        })
    }
}

/// Bit-vectors that are wider than this are left alone.
const WIDTH_MAX: u32 = 4096;

/// The sort of bit-vectors of a width, if it is a sensible one.
pub(super) fn bit_vec(width: Option<u32>) -> Sort {
    match width {
        Some(width @ 1..=WIDTH_MAX) => Sort::BitVec(width),
        _ => Sort::Unknown,
    }
}

/// The sort of floating-point numbers of a size, if it is a sensible one.
pub(super) fn float(exponent: u32, significand: u32) -> Sort {
    if (2..=30).contains(&exponent) && (2..=WIDTH_MAX).contains(&significand) {
        Sort::Float(exponent, significand)
    } else {
        Sort::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sort_that_is_written_is_read_back() {
        let known =
            [Sort::Bool, Sort::Int, Sort::Real, Sort::String, Sort::BitVec(7), Sort::Float(8, 24)];
        for sort in known {
            let tree = Tree::read(sort.text().unwrap()).unwrap();
            assert_eq!(Sort::read(&tree, 0), sort);
        }
        for text in ["U", "(Array Int Int)", "(_ BitVec 0)", "(_ BitVec x)", "(_ BitVec 99999)"] {
            assert_eq!(Sort::read(&Tree::read(text.to_owned()).unwrap(), 0), Sort::Unknown);
        }
    }
}
