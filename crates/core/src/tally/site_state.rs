//! The state of a site over all pairs of a suite.

/// The state of a site over all pairs of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SiteState {
    /// In the difference of at least one pair, and always run by the first side.
    AOnly,
    /// In the difference of at least one pair, and always run by the second side.
    BOnly,
    /// In the difference of some pair by the first side, of another by the second.
    Either,
    /// Executed, but in the difference of no pair: no judge could have detected a fault here.
    Both,
    /// Never executed.
    NotExecuted,
}

impl SiteState {
    /// Whether the site is in the difference of at least one pair.
    pub fn is_mc(self) -> bool {
        matches!(self, SiteState::AOnly | SiteState::BOnly | SiteState::Either)
    }

    /// Returns its name in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            SiteState::AOnly => "a_only",
            SiteState::BOnly => "b_only",
            SiteState::Either => "either",
            SiteState::Both => "both",
            SiteState::NotExecuted => "not_executed",
        }
    }
}
