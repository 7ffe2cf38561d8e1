//! Random expressions.

use metacov_core::Rng;

/// An operand: a number, one of `variables`, or an expression in parentheses of at most this depth.
pub(super) fn expression(rng: &mut Rng, variables: usize, depth: u32) -> String {
    let is_leaf = depth == 0 || rng.chance(35);
    match (is_leaf, variables) {
        (true, 0) => number(rng),
        (true, count) if rng.chance(60) => format!("v{}", rng.below(count)),
        (true, _) => number(rng),
        (false, _) => {
            let (left, right) =
                (expression(rng, variables, depth - 1), expression(rng, variables, depth - 1));
            match rng.below(10) {
                0..=1 => format!("(-{left})"),
                2 => format!("less({left}, {right})"),
                3..=5 => format!("({left} + {right})"),
                6..=7 => format!("({left} - {right})"),
                _ => format!("({left} * {right})"),
            }
        }
    }
}

fn number(rng: &mut Rng) -> String {
    let numbers = [0, 1, 1, 1, 2, 3, 7, 10, 99, 4_294_967_296_u64];
    rng.pick(&numbers).to_string()
}
