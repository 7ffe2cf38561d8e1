//! When two findings are the same.

use std::collections::BTreeSet;
use std::fmt;

use metacov_core::Language;

use super::failing_case::FailingCase;

/// Identifies a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature {
    /// The same relation and the same reduced case, up to names and literals.
    pub exact: u64,
    /// The same for findings that are most likely the same bug.
    pub group: u64,
}

impl Signature {
    /// Computes the signature of a reduced case of this shape.
    pub(crate) fn of(
        language: &dyn Language,
        suspect: &FailingCase,
        shape: &BTreeSet<String>,
    ) -> Self {
        let relation = std::iter::once(suspect.case.relation.clone());
        let exact = digest(relation.chain(language.normal_form(&suspect.case)));
        Signature { exact, group: digest(shape.iter().cloned()) }
    }

    /// The signature that the name of a finding's folder stands for. No other text is such a name,
    /// so a name from a file cannot lead out of the folder of findings.
    pub fn parse(name: &str) -> Option<Self> {
        let (group, exact) = name.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        let signature = Signature { exact: number(exact)?, group: number(group)? };
        (signature.to_string() == name).then_some(signature)
    }

    /// Whether a text names it: the group, the exact signature, or both, as in folder names.
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

/// FNV-1a, which is the same on every platform.
pub(super) fn digest(texts: impl Iterator<Item = String>) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for text in texts {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_we_write_is_a_name() {
        let signature = Signature { exact: 1, group: u64::MAX };
        assert_eq!(Signature::parse(&signature.to_string()), Some(signature));
        for name in [
            "",
            ".",
            "..",
            "/tmp",
            "../0000000000000001-0000000000000001",
            "0000000000000001-0000000000000001/..",
            "0000000000000001-000000000000000A",
            "+000000000000001-0000000000000001",
            "1-1",
        ] {
            assert_eq!(Signature::parse(name), None, "{name}");
        }
    }
}
