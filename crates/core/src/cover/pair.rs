//! Two values of one type, such as inputs, executions or covers: the central type of metacov.

use serde::{Deserialize, Serialize};

use crate::Cover;

/// The two sides of a metamorphic test: two inputs, two executions, two covers.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Pair<T> {
    /// The first side.
    pub a: T,
    /// The second side.
    pub b: T,
}

impl<T> Pair<T> {
    /// The pair with `f` applied to both sides, `a` first.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> Pair<U> {
        Pair { a: f(self.a), b: f(self.b) }
    }

    /// The pair with `f` applied to both sides, `a` first, or the first error.
    pub fn try_map<U, E>(self, mut f: impl FnMut(T) -> Result<U, E>) -> Result<Pair<U>, E> {
        Ok(Pair { a: f(self.a)?, b: f(self.b)? })
    }

    /// The pair of references.
    pub fn as_ref(&self) -> Pair<&T> {
        Pair { a: &self.a, b: &self.b }
    }
}

impl Pair<Cover> {
    /// Metamorphic coverage of the pair: `MC(t) = Cov(a) ^ Cov(b)` (the paper, section "Approach").
    #[must_use]
    pub fn difference(&self) -> Cover {
        let mut difference = self.a.clone();
        difference ^= &self.b;
        debug_assert!(difference.is_subset(&self.union()), "a difference lies within the union");
        difference
    }

    /// What either side ran.
    #[must_use]
    pub fn union(&self) -> Cover {
        let mut union = self.a.clone();
        union |= &self.b;
        union
    }

    /// What both sides ran.
    #[must_use]
    pub fn intersection(&self) -> Cover {
        let mut intersection = self.a.clone();
        intersection &= &self.b;
        intersection
    }
}
