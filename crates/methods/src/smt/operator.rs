//! The sorts that the operators of SMT-LIB return.

use super::sort::{Sort, bit_vec, float};

/// Returns the sort of an application, from the name of the operator, its indices and the sorts of
/// its arguments. Unknown operators return an unknown sort.
pub(super) fn result(operator: &str, indices: &[&str], arguments: &[Sort]) -> Sort {
    let first = arguments.first().copied().unwrap_or(Sort::Unknown);
    let last = arguments.last().copied().unwrap_or(Sort::Unknown);
    let index = |at: usize| indices.get(at).and_then(|index| index.parse::<u32>().ok());
    match operator {
        "not" | "and" | "or" | "=>" | "xor" | "=" | "distinct" | "forall" | "exists" | "<"
        | "<=" | ">" | ">=" | "is_int" | "divisible" | "bvult" | "bvule" | "bvugt" | "bvuge"
        | "bvslt" | "bvsle" | "bvsgt" | "bvsge" | "fp.lt" | "fp.leq" | "fp.gt" | "fp.geq"
        | "fp.eq" | "fp.isNormal" | "fp.isSubnormal" | "fp.isZero" | "fp.isInfinite"
        | "fp.isNaN" | "fp.isNegative" | "fp.isPositive" | "str.<" | "str.<=" | "str.prefixof"
        | "str.suffixof" | "str.contains" | "str.in_re" | "str.in.re" | "str.is_digit" | "is" => {
            Sort::Bool
        }
        "ite" if arguments.get(1) == arguments.get(2) => last,
        "+" | "-" | "*" => {
            if arguments.iter().all(|sort| *sort == Sort::Int) {
                first
            } else if arguments.iter().all(|sort| matches!(sort, Sort::Int | Sort::Real)) {
                Sort::Real
            } else {
                Sort::Unknown
            }
        }
        "/" | "to_real" | "fp.to_real" => Sort::Real,
        "div" | "mod" | "to_int" | "str.len" | "str.indexof" | "str.to_int" | "str.to.int"
        | "str.to_code" | "bv2nat" => Sort::Int,
        "abs" | "bvnot" | "bvneg" | "bvand" | "bvor" | "bvxor" | "bvnand" | "bvnor" | "bvxnor"
        | "bvadd" | "bvsub" | "bvmul" | "bvudiv" | "bvurem" | "bvsdiv" | "bvsrem" | "bvsmod"
        | "bvshl" | "bvlshr" | "bvashr" | "rotate_left" | "rotate_right" | "fp.abs" | "fp.neg"
        | "fp.min" | "fp.max" | "fp.rem" => first,
        "fp.add" | "fp.sub" | "fp.mul" | "fp.div" | "fp.fma" | "fp.sqrt" | "fp.roundToIntegral" => {
            last
        }
        "bvcomp" => Sort::BitVec(1),
        "concat" => arguments.iter().copied().reduce(concat).unwrap_or(Sort::Unknown),
        "extract" => match (index(0), index(1)) {
            (Some(high), Some(low)) => bit_vec(high.saturating_add(1).checked_sub(low)),
            _ => Sort::Unknown,
        },
        "zero_extend" | "sign_extend" => match (first, index(0)) {
            (Sort::BitVec(width), Some(more)) => bit_vec(width.checked_add(more)),
            _ => Sort::Unknown,
        },
        "repeat" => match (first, index(0)) {
            (Sort::BitVec(width), Some(times)) => bit_vec(width.checked_mul(times)),
            _ => Sort::Unknown,
        },
        "fp.to_ubv" | "fp.to_sbv" | "int2bv" => bit_vec(index(0)),
        "to_fp" | "to_fp_unsigned" => match (index(0), index(1)) {
            (Some(exponent), Some(significand)) => float(exponent, significand),
            _ => Sort::Unknown,
        },
        "fp" => match arguments {
            [Sort::BitVec(1), Sort::BitVec(exponent), Sort::BitVec(fraction)] => {
                float(*exponent, fraction + 1)
            }
            _ => Sort::Unknown,
        },
        "str.++" | "str.at" | "str.substr" | "str.replace" | "str.replace_all" | "str.from_int"
        | "int.to.str" | "str.from_code" => Sort::String,
        _ => Sort::Unknown,
    }
}

/// Returns the sort of a constant: `true`, `(_ bv5 8)`, `(_ +oo 8 24)`.
pub(super) fn constant(name: &str, indices: &[&str]) -> Sort {
    let index = |at: usize| indices.get(at).and_then(|index| index.parse::<u32>().ok());
    let number = name.strip_prefix("bv").unwrap_or_default();
    match (name, index(0), index(1)) {
        ("true" | "false", None, None) => Sort::Bool,
        ("+oo" | "-oo" | "+zero" | "-zero" | "NaN", Some(exponent), Some(significand)) => {
            float(exponent, significand)
        }
        (_, Some(width), None) if number.parse::<u128>().is_ok() => bit_vec(Some(width)),
        _ => Sort::Unknown,
    }
}

fn concat(high: Sort, low: Sort) -> Sort {
    match (high, low) {
        (Sort::BitVec(high), Sort::BitVec(low)) => bit_vec(high.checked_add(low)),
        _ => Sort::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_return_sorts() {
        use Sort::{BitVec, Float, Int, Real, Unknown};
        assert_eq!(result("+", &[], &[Int, Int]), Int);
        assert_eq!(result("+", &[], &[Int, Real]), Real);
        assert_eq!(result("+", &[], &[Int, Unknown]), Unknown);
        assert_eq!(result("concat", &[], &[BitVec(3), BitVec(5)]), BitVec(8));
        assert_eq!(result("extract", &["6", "2"], &[BitVec(8)]), BitVec(5));
        assert_eq!(result("extract", &["2", "6"], &[BitVec(8)]), Unknown);
        assert_eq!(result("zero_extend", &["4294967295"], &[BitVec(8)]), Unknown);
        assert_eq!(result("fp", &[], &[BitVec(1), BitVec(8), BitVec(23)]), Float(8, 24));
        assert_eq!(result("ite", &[], &[Sort::Bool, Int, Int]), Int);
        assert_eq!(constant("bv5", &["8"]), BitVec(8));
        assert_eq!(constant("NaN", &["5", "11"]), Float(5, 11));
    }
}
