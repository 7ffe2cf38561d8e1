//! When two findings are the same.

use std::collections::BTreeSet;
use std::fmt;

use metacov_relations::token::{Kind, tokens};
use metacov_relations::{Case, renumbered};

use super::suspect::FailingCase;

/// What a finding is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature {
    /// The same relation and the same reduced case, up to names and literals.
    pub exact: u64,
    /// Most likely the same bug.
    pub group: u64,
}

impl Signature {
    /// The signature of a reduced suspect of this shape.
    pub(crate) fn of(suspect: &FailingCase, shape: &BTreeSet<String>) -> Self {
        let relation = std::iter::once(suspect.relation.clone());
        let exact = digest(relation.chain(normal(&suspect.case)));
        Signature { exact, group: digest(shape.iter().cloned()) }
    }

    /// Whether a text names it: the group, the exact one, or both as folders have them.
    pub fn is(&self, text: &str) -> bool {
        let Signature { exact, group } = self;
        [format!("{exact:016x}"), format!("{group:016x}"), self.to_string()]
            .contains(&text.to_owned())
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}-{:016x}", self.group, self.exact)
    }
}

/// The statements of a case, with names counted from zero and literals told by kind only.
fn normal(case: &Case) -> impl Iterator<Item = String> {
    let case = renumbered(case);
    let statement = |text: String| {
        let words = tokens(&text).into_iter().map(|word| match word.kind {
            Kind::Number => "0".to_owned(),
            Kind::Text => "''".to_owned(),
            Kind::Blob => "x''".to_owned(),
            Kind::Word | Kind::Sign => word.text.to_uppercase(),
        });
        words.collect::<Vec<_>>().join(" ")
    };
    case.setup.into_iter().chain(case.sides.into_iter().flatten()).map(statement)
}

/// FNV-1a, which is the same everywhere.
pub(super) fn digest(texts: impl Iterator<Item = String>) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for text in texts {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
