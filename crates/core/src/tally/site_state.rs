//! The state of a site over all pairs of a suite.

/// The state of a site over all pairs of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SiteState {
    /// In the difference of at least one pair: a fault here could have been noticed.
    Validated(CheckedBy),
    /// Run, but by both sides alike in every pair: a fault here could not have been noticed.
    Executed,
    /// Never run.
    NotExecuted,
}

/// Which side alone ran a validated site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckedBy {
    /// Always the first side.
    OnlyA,
    /// Always the second side.
    OnlyB,
    /// In some pairs the first, in others the second.
    Either,
}

impl SiteState {
    /// The word for it in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            SiteState::Validated(CheckedBy::OnlyA) => "only-a",
            SiteState::Validated(CheckedBy::OnlyB) => "only-b",
            SiteState::Validated(CheckedBy::Either) => "either",
            SiteState::Executed => "executed",
            SiteState::NotExecuted => "not-executed",
        }
    }
}
