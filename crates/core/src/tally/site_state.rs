//! The state of a site over all pairs of a suite.

/// The state of a site over all pairs of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// In the difference of at least one pair: a fault here could have been noticed.
    Validated(Kind),
    /// Run, but by both sides alike in every pair: a fault here could not have been noticed.
    Executed,
    /// Never run.
    NotExecuted,
}

/// Which side alone ran a validated site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Always the first side.
    OnlyA,
    /// Always the second side.
    OnlyB,
    /// In some pairs the first, in others the second.
    Either,
}

impl State {
    /// The word for it in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            State::Validated(Kind::OnlyA) => "only-a",
            State::Validated(Kind::OnlyB) => "only-b",
            State::Validated(Kind::Either) => "either",
            State::Executed => "executed",
            State::NotExecuted => "not-executed",
        }
    }
}
