//! Cases without arbitrary details.

use metacov_core::Case;

use super::reduce::renumbered;
use super::token::{Brackets, Kind};

/// The statements of a case without names and constants: equal cases have equal normal forms.
pub(crate) fn normal_form(case: &Case, brackets: Brackets) -> Vec<String> {
    let normal = |statement: &String| {
        let words = brackets.tokens(statement).into_iter().map(|word| match word.kind {
            Kind::Number => "0".to_owned(),
            Kind::Text => "''".to_owned(),
            Kind::Blob => "x''".to_owned(),
            Kind::Word | Kind::Sign => word.text.to_uppercase(),
        });
        words.collect::<Vec<_>>().join(" ")
    };
    renumbered(case, brackets).statements().map(normal).collect()
}
