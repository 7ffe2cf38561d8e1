//! When two findings are the same.

use std::fmt;

/// What a finding is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature {
    /// The same relation and the same reduced case, up to names and literals.
    pub exact: u64,
    /// Most likely the same bug.
    pub group: u64,
}

impl Signature {
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
