//! The sides of an SQL case: one input each.

use metacov_core::{Case, Input, Pair};

/// The statements of each side.
pub(crate) fn statements(case: &Case) -> [Vec<String>; 2] {
    let statements = |side: &Vec<Input>| {
        side.iter().flat_map(|input| input.statements.iter().cloned()).collect()
    };
    [statements(&case.sides.a), statements(&case.sides.b)]
}

/// Sides of these statements.
pub(crate) fn of([a, b]: [Vec<String>; 2]) -> Pair<Vec<Input>> {
    Pair { a, b }.map(|statements| vec![Input { statements }])
}
